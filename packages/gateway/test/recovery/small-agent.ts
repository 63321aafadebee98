/*
 * An agent that speaks just enough of the protocol, in a shell: a megabyte of memory instead of forty, so that hundreds fit into a small
 * machine. It answers every prompt with numbered words, each of them a message of its own.
 */
export function smallAgent({ words }: { readonly words: number }): readonly [string, ...string[]] {
  return ['/bin/sh', '-c', program, 'small-agent', String(words)];
}

/* The words of its nth turn, from 1. */
export function smallAnswer(turn: number, words: number): string {
  return Array.from({ length: words }, (_, index) => `${turn}.${index + 1} `).join('');
}

const program = `
turn=0
say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s "}}}}\\n' "$1"; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$1" "$2"; }
while IFS= read -r line; do
  id=\${line#*'"id":'}
  id=\${id%%[,\\}]*}
  case $line in
    *'"method":"initialize"'*) answer "$id" '{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*) answer "$id" '{"sessionId":"s"}' ;;
    *'"method":"session/prompt"'*)
      turn=$((turn + 1))
      word=0
      while [ "$word" -lt "$1" ]; do word=$((word + 1)); say "$turn.$word"; done
      answer "$id" '{"stopReason":"end_turn"}' ;;
  esac
done`;
