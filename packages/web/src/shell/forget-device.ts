/*
 * What the system keeps for us outside of our own storage: the subscription to push, notifications that are still shown, and the badge.
 * All of it is gone when this device is signed out.
 */
interface Badge {
  clearAppBadge?: () => Promise<void>;
}

/* Whatever of it this browser has; what fails leaves the rest to be done. */
export async function forgetOutside(navigator: Navigator & Badge): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  await Promise.allSettled([
    navigator.clearAppBadge?.(),
    registration?.pushManager?.getSubscription().then((found) => found?.unsubscribe()),
    registration?.getNotifications?.().then((shown) => shown.forEach((each) => each.close())),
  ]);
}
