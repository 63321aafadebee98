/*
 * Markdown as nodes. No text of an agent ever becomes HTML: the lexer gives tokens, and each token is a node made here. Raw HTML is
 * shown as the text that it is. Links lead to the web or to mail, show where they lead, and tell nobody where they were followed from.
 * Pictures of other hosts are links: loading one would tell its host where the reader is.
 */
import { marked, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { parseAddress } from './parse-address.ts';
import { formatForReader } from './reader-text.ts';

/* Deeper than this, what is inside is shown as its source. */
const depthMax = 12;

/* Short: a piece of a text (split-markdown.ts). */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return <div class="markdown">{nodesOf(lex(formatForReader(text)), 0)}</div>;
});

function lex(text: string): readonly Token[] {
  try {
    return marked.lexer(text);
  } catch {
    // It was too much for the parser. The text is still there.
    return [{ type: 'paragraph', raw: text, tokens: [{ type: 'text', raw: text, text }] }];
  }
}

function nodesOf(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  return tokens?.map((token, index) => <TokenNode key={index} token={token} depth={depth + 1} />);
}

interface NodeProps<Of = Token> {
  readonly token: Of;
  readonly depth: number;
}

function TokenNode({ token, depth }: NodeProps): ComponentChildren {
  if (depth > depthMax) return <>{token.raw}</>;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{nodesOf(token.tokens, depth)}</p>;
    case 'heading':
      return (
        <p class={`heading-${(token as Tokens.Heading).depth}`}>{nodesOf(token.tokens, depth)}</p>
      );
    case 'code':
      return (
        <pre class="indented" tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{nodesOf(token.tokens, depth)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list':
      return <ListNode token={token as Tokens.List} depth={depth} />;
    case 'table':
      return <TableNode token={token as Tokens.Table} depth={depth} />;
    default:
      return <InlineNode token={token} depth={depth} />;
  }
}

function InlineNode({ token, depth }: NodeProps): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong>{nodesOf(token.tokens, depth)}</strong>;
    case 'em':
      return <em>{nodesOf(token.tokens, depth)}</em>;
    case 'del':
      return <del>{nodesOf(token.tokens, depth)}</del>;
    case 'codespan':
      return <code>{plainOf(token)}</code>;
    case 'br':
      return <br />;
    case 'link':
    case 'image':
      return <LinkNode token={token as Tokens.Link} depth={depth} />;
    case 'text':
      return <>{token.tokens === undefined ? plainOf(token) : nodesOf(token.tokens, depth)}</>;
    case 'escape':
      return <>{plainOf(token)}</>;
    case 'checkbox':
      // The list draws it.
      return null;
    default:
      // Raw HTML among them: shown as the text that it is.
      return <>{token.raw}</>;
  }
}

/* The lexer leaves entities as they are. */
function plainOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw;
}

function ListNode({ token: { ordered, start, items }, depth }: NodeProps<Tokens.List>) {
  const inside = items.map((item, index) => (
    <li key={index} class={item.task ? 'task' : undefined}>
      {item.task && <span aria-hidden="true">{item.checked === true ? '☑' : '☐'} </span>}
      {item.task && (
        <span class="only-read-aloud">{item.checked === true ? 'done: ' : 'to do: '}</span>
      )}
      {nodesOf(item.tokens, depth)}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{inside}</ol> : <ul>{inside}</ul>;
}

function TableNode({ token: { header, rows }, depth }: NodeProps<Tokens.Table>) {
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index}>{nodesOf(cell.tokens, depth)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, index) => (
                <td key={index}>{nodesOf(cell.tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const schemes: readonly string[] = ['http:', 'https:', 'mailto:'];

function LinkNode({ token, depth }: NodeProps<Tokens.Link>) {
  const { href, text, tokens, raw } = token;
  if (!schemes.includes(parseAddress(href)?.protocol ?? '')) return <>{raw}</>;
  const isPlain = text === href || `mailto:${text}` === href || href === `http://${text}`;
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer">
        {nodesOf(tokens, depth) ?? text}
      </a>
      {!isPlain && <span class="where"> ({href})</span>}
    </>
  );
}
