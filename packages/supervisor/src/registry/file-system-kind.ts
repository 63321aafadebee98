/*
 * What a directory lies on, by the kernel's type numbers (statfs(2)).
 *
 * O6: locks and leases mean nothing on a file system that other hosts see too,
 * so network ones are refused. On tmpfs everything works and is lost at reboot,
 * which deserves a warning and no more.
 */

/** f_type of linux/magic.h and the file systems' own sources. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xfe534d42, 'smb2'],
  [0xff534d42, 'cifs'],
  [0x01021997, '9p'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x00c36400, 'ceph'],
  [0x0bd00bd0, 'lustre'],
  [0x013111a8, 'ibrix'],
  [0x564c, 'ncp'],
  [0x73757245, 'coda'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x19830326, 'fhgfs'],
  [0x47504653, 'gpfs'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
  [0x65735546, 'fuse'],
]);

const memoryTypes: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
]);

export type FileSystemKind =
  | { readonly kind: 'local' }
  | { readonly kind: 'memory' | 'network'; readonly name: string };

export function fileSystemKindOf(type: number): FileSystemKind {
  // The kernel's field is signed on some architectures; the numbers are not.
  const unsigned = type >>> 0;
  const network = networkTypes.get(unsigned);
  if (network !== undefined) return { kind: 'network', name: network };
  const memory = memoryTypes.get(unsigned);
  if (memory !== undefined) return { kind: 'memory', name: memory };
  return { kind: 'local' };
}
