/*
 * A program that listens on a gateway's port and writes down all that it is sent, in ways that make it hard to say who listens.
 */
export const thiefWays = ['plain', 'daemon', 'hidden', 'thread', 'message', 'accepted'] as const;
export type ThiefWay = (typeof thiefWays)[number];

/* For `python3 -c`, then the way and the port. Says `listening`, then `got …` for what comes, one connection after the other. */
export const thiefScript = `
import ctypes, os, socket, sys, threading, time
way, port = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None)
def say(line): print(line, flush=True)
def listen():
  server = socket.socket()
  server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
  server.bind(("127.0.0.1", port))
  server.listen(16)
  return server
def take(one):
  piece = one.recv(65536)
  if piece:
    say("got " + repr(piece))
    one.send(b"HTTP/1.1 401 Unauthorized\\r\\ncontent-length: 0\\r\\n\\r\\n")
  one.close()
def serve(server):
  say("listening")
  while True: take(server.accept()[0])
if way == "plain": serve(listen())
if way == "daemon":
  # Of another kernel session, and without the parents that it had.
  if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
      os.environ.clear()
      serve(listen())
    os._exit(0)
  while True: time.sleep(60)
if way == "hidden":
  # PR_SET_DUMPABLE: its files in /proc belong to root.
  libc.prctl(4, 0, 0, 0, 0)
  serve(listen())
if way == "thread":
  # CLONE_FILES: this thread has open files of its own.
  def alone():
    libc.unshare(0x400)
    serve(listen())
  threading.Thread(target=alone).start()
if way == "message":
  # The kernel lets connections in while the socket is on its way from us to us.
  near, far = socket.socketpair()
  server = listen()
  socket.send_fds(near, [b"x"], [server.fileno()])
  server.close()
  say("listening")
  sys.stdin.readline()
  _, fds, _, _ = socket.recv_fds(far, 1, 1)
  serve(socket.socket(fileno=fds[0]))
if way == "accepted":
  # No one listens any more when the other side has connected.
  server = listen()
  say("listening")
  while True:
    one = server.accept()[0]
    server.close()
    take(one)
    server = listen()
    say("again")
`;
