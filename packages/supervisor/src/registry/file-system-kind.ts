/*
 * What a directory lies on, by the kernel's type numbers (statfs(2)) and, for
 * FUSE, by the name in /proc/self/mountinfo.
 *
 * O6: locks and leases mean nothing on a file system that other hosts see too,
 * so network ones are refused. On tmpfs everything works and is lost at reboot,
 * which deserves a warning and no more. FUSE is one number for everything from
 * sshfs to the overlay of a rootless container; its known network kinds are
 * refused by name, the others are warned about.
 */

/** f_type, from linux/magic.h and the file systems' own sources. */
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
  [0x564c, 'ncp'],
  [0x73757245, 'coda'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x19830326, 'beegfs'],
  [0x47504653, 'gpfs'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
]);

const memoryTypes: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
]);

const fuseType = 0x65735546;
const fuseNetworkNames =
  /sshfs|s3fs|rclone|goofys|gcsfuse|blobfuse|juicefs|gluster|ceph|davfs|gvfs|curlftp|hdfs|smb|nfs/;

export type FileSystemKind =
  | { readonly kind: 'local' }
  | { readonly kind: 'memory' | 'network' | 'fuse'; readonly name: string };

/** `fuseName` is asked for only when the number says FUSE. */
export function fileSystemKindOf(type: number, fuseName: () => string | undefined): FileSystemKind {
  // The kernel's field is signed on some architectures; the numbers are not.
  const unsigned = type >>> 0;
  const network = networkTypes.get(unsigned);
  if (network !== undefined) return { kind: 'network', name: network };
  const memory = memoryTypes.get(unsigned);
  if (memory !== undefined) return { kind: 'memory', name: memory };
  if (unsigned !== fuseType) return { kind: 'local' };
  const name = fuseName() ?? 'fuse';
  return { kind: fuseNetworkNames.test(name) ? 'network' : 'fuse', name };
}

/** The type's name of the mount with this device number, from the text of mountinfo. */
export function mountNameOf(mountinfo: string, dev: number): string | undefined {
  const major = (dev >>> 8) & 0xfff;
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  const wanted = `${major}:${minor}`;
  for (const line of mountinfo.split('\n')) {
    // Fields before the lone dash vary in number; after it comes the type.
    const [mount = '', source = ''] = line.split(' - ');
    if (mount.split(' ')[2] === wanted) return source.split(' ')[0];
  }
  return undefined;
}
