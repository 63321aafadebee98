/*
 * The other end of a connection is found in the kernel's tables, whichever kind of address it has, and so is the process that has it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { holdingOf } from '../../../src/sign-in/peer/seen-processes.ts';
import { type Ends, socketsAtOtherEnd } from '../../../src/sign-in/peer/tcp-table.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

async function listenAt(address: string): Promise<Server & AsyncDisposable> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  server.listen(0, address);
  await once(server, 'listening');
  return server;
}

for (const [from, to, needsIPv6] of [
  ['127.0.0.1', '127.0.0.1', false],
  ['0.0.0.0', '127.0.0.1', false],
  ['0.0.0.0', '127.0.0.2', false],
  ['::', '127.0.0.1', true],
  ['::', '::1', true],
  ['::1', '::1', true],
] as const) {
  test(`a server at ${from} that is called at ${to} is found`, {
    skip: needsIPv6 && !hasIPv6 && 'no IPv6 here',
  }, async () => {
    await using server = await listenAt(from);
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, to);
    await once(socket, 'connect');
    const ends = endsOf(socket);
    const found = socketsAtOtherEnd(ends);
    assert.equal(found.length, 1);
    assert.equal(found[0]?.uid, process.getuid?.());
    const inodes = new Set(found.map(({ inode }) => inode));
    assert.equal(holdingOf(process.pid, inodes), 'holds');
    assert.equal(holdingOf(process.pid, new Set(['1'])), 'holds-not');
    // Our own end is none of them.
    const [remoteAddress, remotePort] = [ends.localAddress, ends.localPort];
    const [localAddress, localPort] = [ends.remoteAddress, ends.remotePort];
    const own = socketsAtOtherEnd({ remoteAddress, remotePort, localAddress, localPort });
    assert.ok(own.every(({ inode }) => !inodes.has(inode)));
    socket.destroy();
  });
}

function endsOf(socket: ReturnType<typeof connect>): Ends {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
  return { remoteAddress, remotePort, localAddress, localPort };
}

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (local: string, remote: string, stateAndInode: string): string => {
  const [state, inode] = stateAndInode.split(' ');
  return `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0 100 0\n`;
};
const ends: Ends = {
  remoteAddress: '127.0.0.1',
  remotePort: 8420,
  localAddress: '127.0.0.1',
  localPort: 9,
};
const inodesIn = (table: string): string[] =>
  socketsAtOtherEnd(ends, () => head + table).map(({ inode }) => inode);
const [any, gateway, other, caller] = [
  '00000000:0000',
  '0100007F:20E4',
  '0200007F:20E4',
  '0100007F:0009',
];

test('who accepted has it; before that, all who listen at this address', () => {
  const listening = row(gateway, any, '0A 1') + row('00000000:20E4', any, '0A 2');
  const elsewhere = row(other, any, '0A 3') + row('0100007F:20E5', any, '0A 4');
  assert.deepEqual(inodesIn(listening + elsewhere), ['1', '2']);
  assert.deepEqual(inodesIn(listening + row(gateway, caller, '01 0')), ['1', '2']);
  assert.deepEqual(inodesIn(listening + row(gateway, caller, '01 5')), ['5']);
  assert.deepEqual(inodesIn(elsewhere + row(caller, gateway, '01 6')), []);
});
