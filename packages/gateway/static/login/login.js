/*
 * Signs in with the secret in the fragment of the address, and says whether it worked.
 *
 * The fragment is taken out of the address and of the history first: whoever looks at the screen or goes back finds nothing.
 * Then the cookie is tried, because a browser may refuse to keep it, and a page that says "signed in" should be right.
 */
const refusals = {
  invalid_link: [
    'This link does not work',
    'It was used before, or it is older than ten minutes. Make a new one on the machine that runs the gateway: clf login --link',
  ],
  validation_error: [
    'This link is not whole',
    'Perhaps a part was lost while copying. Make a new one on the machine that runs the gateway: clf login --link',
  ],
  invalid_state: [
    'Please begin again',
    'This sign-in was begun in another browser, or more than ten minutes ago.',
  ],
  invalid_code: ['GitHub did not sign you in', 'You said no there, or it took too long.'],
  forbidden: [
    'You are not admitted here',
    'Whoever runs this gateway can add your GitHub login to the admitted ones.',
  ],
  github_unavailable: ['GitHub does not answer', 'Please try again in a moment.'],
  origin_refused: [
    'Not under this address',
    'Whoever runs this gateway starts it with --public-url and the address that you use; then make a new link: clf login --link',
  ],
  rate_limited: ['Too many attempts', 'Please wait before you try again.'],
  unsupported: [
    'Not with GitHub',
    'It is not set up here. Make a link on the machine that runs the gateway: clf login --link',
  ],
};

const api = '/api/v1/auth';
const element = (id) => document.getElementById(id);

/* The button is not in the page of a gateway that nobody has set up for GitHub. */
const github = element('github');

function show(title, text, { isSignedIn = false, offersGithub = false } = {}) {
  element('title').textContent = title;
  element('text').textContent = text;
  element('home').hidden = !isSignedIn;
  if (github !== null) github.hidden = !offersGithub;
}

function showRefusal({ code, message, detail }) {
  const known = Object.hasOwn(refusals, code);
  const [title, text] = known ? refusals[code] : ['That did not work', message];
  const seconds = detail?.retry_after_seconds;
  const wait = seconds === undefined ? '' : ` (${seconds} seconds)`;
  show(title, `${text}${wait}`, { offersGithub: code !== 'unsupported' });
}

async function post(path, body) {
  const answer = await fetch(`${api}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const parsed = await answer.json();
  if (!answer.ok) throw parsed.error;
  return parsed;
}

async function showWhoIsIn({ hasJustSignedIn }) {
  const answer = await fetch(`${api}/me`);
  if (answer.ok) {
    const { account } = await answer.json();
    const text = `You are ${account.display_name}.`;
    show('Signed in', text, { isSignedIn: true });
    // Not in the history: whoever goes back comes to where they were before.
    location.replace('/');
  } else if (hasJustSignedIn) {
    show(
      'Your browser did not keep the cookie',
      'It takes secure cookies only over HTTPS. Use the gateway under an https:// address, or another browser.',
    );
  } else {
    const how = 'Make a link on the machine that runs the gateway: clf login --link';
    show('Not signed in', how, { offersGithub: true });
  }
}

async function begin() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
  const link = fragment.get('clf-link');
  const refused = fragment.get('clf-error');
  if (refused !== null) return showRefusal({ code: refused, message: 'Please try again.' });
  if (link !== null) await post('/login-link', { link, cookie: true });
  await showWhoIsIn({ hasJustSignedIn: link !== null });
}

async function goToGithub() {
  const { authorize_url: url } = await post('/oauth/github/start', {});
  location.assign(url);
}

/* What is thrown is a refusal of the API, or a network that is not there. */
function showFailure(error) {
  if (error instanceof Error)
    show('The gateway does not answer', 'Is it running, and are you online?');
  else showRefusal(error);
}

/* Nobody waits for what these begin; they say themselves how it went. */
function start(work) {
  work().catch(showFailure);
}

github?.addEventListener('click', () => start(goToGithub));
addEventListener('hashchange', () => start(begin));
start(begin);
