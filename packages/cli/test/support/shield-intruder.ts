/*
 * Programs for `python3 FILE`: one that has secrets in every place in which a process keeps some, and one that tries to get at other
 * processes in every way that the kernel has.
 */

/* Its name of an abstract socket, then the secret. Says `ready`, and tells the secret to whoever connects. */
export const victimScript = `
import ctypes, os, socket, sys
secret = sys.argv[2].encode()
os.environ["VICTIM"] = sys.argv[2]
# Where ptrace is for parents only (Yama), this lets all of its user in, as most machines do anyway.
ctypes.CDLL(None).prctl(0x59616d61, -1, 0, 0, 0)
place = sys.argv[0] + ".secret"
file = open(place, "w+b")
file.write(secret); file.flush(); os.unlink(place)
server = socket.socket(socket.AF_UNIX)
server.bind("\\0" + sys.argv[1]); server.listen(16)
print("ready", flush=True)
while True:
  one = server.accept()[0]
  one.send(secret); one.close()
`;

/*
 * The name of the socket, then process ids. Says `own …` for each file that it was born with, \`PID WAY in …\` for what it got and \`PID WAY out …\` for what it did not. Reading, and a
 * signal that changes nothing: nothing that it gets into is harmed.
 */
export const intruderScript = `
import ctypes, os, signal, socket, sys
for name in os.listdir("/proc/self/fd"):
  try: print("own", name, os.readlink("/proc/self/fd/" + name))
  except FileNotFoundError: pass
libc = ctypes.CDLL(None, use_errno=True)
def called(result):
  if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
  return result
def first(path, size=1 << 16):
  with open(path, "rb", buffering=0) as file: return file.read(size)
def address(pid):
  return int(first(f"/proc/{pid}/maps").split(b"-")[0], 16)
def memory(pid):
  with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
    file.seek(address(pid)); return file.read(4)
def attach(pid, request):
  called(libc.ptrace(request, pid, None, None))
  if request == 16: os.waitpid(pid, 0x40000000)
  else: called(libc.ptrace(0x4207, pid, None, None)); os.waitpid(pid, 0x40000000)
  called(libc.ptrace(17, pid, None, None))
def vector(pid, call):
  # An address of our own will do where none can be told: what is asked is whether we may.
  try: there = address(pid)
  except OSError: there = 0x400000
  buffer = ctypes.create_string_buffer(4)
  near = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 4)
  far = (ctypes.c_uint64 * 2)(there, 4)
  return called(call(pid, near, 1, far, 1, 0))
def descriptors(pid):
  names = os.listdir(f"/proc/{pid}/fd")
  return [os.readlink(f"/proc/{pid}/fd/{name}") for name in names]
def reopen(pid):
  found = [b""]
  for number in range(12):
    try: found.append(os.pread(os.open(f"/proc/{pid}/fd/{number}", os.O_RDONLY | os.O_NONBLOCK), 64, 0))
    except (FileNotFoundError, BlockingIOError): pass
    except OSError as error:
      if error.errno not in (6, 22, 29): raise
  return b"".join(found)
def take(pid):
  fd = called(libc.syscall(434, pid, 0))
  return os.readlink(f"/proc/self/fd/{called(libc.syscall(438, fd, 2, 0))}")
def enter(pid):
  fd = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY)
  return os.readlink(f"/proc/self/fd/{fd}")
def by_pidfd(pid):
  called(libc.syscall(424, called(libc.syscall(434, pid, 0)), signal.SIGCONT, None, 0))
ways = {
  "environ": lambda pid: first(f"/proc/{pid}/environ"),
  "thread": lambda pid: first(f"/proc/{pid}/task/{pid}/environ"),
  "auxv": lambda pid: first(f"/proc/{pid}/auxv"),
  "mem": memory,
  "root": lambda pid: os.listdir(f"/proc/{pid}/root/")[:1],
  "cwd": lambda pid: os.listdir(f"/proc/{pid}/cwd/")[:1],
  "exe": lambda pid: first(f"/proc/{pid}/exe", 4),
  "fd": descriptors,
  "reopen": reopen,
  "namespace": enter,
  "attach": lambda pid: attach(pid, 16),
  "seize": lambda pid: attach(pid, 0x4206),
  "readv": lambda pid: vector(pid, libc.process_vm_readv),
  "getfd": take,
  "signal": lambda pid: os.kill(pid, signal.SIGCONT),
  "pidfd-signal": by_pidfd,
}
for pid in map(int, sys.argv[2:]):
  for name, way in ways.items():
    try: print(pid, name, "in", way(pid))
    except OSError as error: print(pid, name, "out", type(error).__name__)
try:
  client = socket.socket(socket.AF_UNIX); client.connect("\\0" + sys.argv[1])
  print("0 abstract in", client.recv(64))
except OSError as error: print("0 abstract out", type(error).__name__)
`;
