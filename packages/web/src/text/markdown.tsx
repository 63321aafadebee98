/*
 * Markdown as nodes. No text of an agent ever becomes HTML: the lexer gives tokens, and each token is a node made here. Raw HTML is
 * shown as the text that it is. Links lead to the web or to mail, show where they lead, and tell nobody where they were followed from.
 * Pictures of other hosts are links: loading one would tell its host where the reader is.
 */
import { marked, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';

export function Markdown({ text }: { readonly text: string }) {
  return <div class="markdown">{nodesOf(marked.lexer(text))}</div>;
}

function nodesOf(tokens: readonly Token[] | undefined): ComponentChildren {
  return tokens?.map((token, index) => <TokenNode key={index} token={token} />);
}

function TokenNode({ token }: { readonly token: Token }): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{nodesOf(token.tokens)}</p>;
    case 'heading':
      return <p class={`heading-${(token as Tokens.Heading).depth}`}>{nodesOf(token.tokens)}</p>;
    case 'code':
      return <CodeBlock token={token as Tokens.Code} />;
    case 'blockquote':
      return <blockquote>{nodesOf(token.tokens)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list':
      return <ListNode token={token as Tokens.List} />;
    case 'table':
      return <TableNode token={token as Tokens.Table} />;
    default:
      return <InlineNode token={token} />;
  }
}

function InlineNode({ token }: { readonly token: Token }): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong>{nodesOf(token.tokens)}</strong>;
    case 'em':
      return <em>{nodesOf(token.tokens)}</em>;
    case 'del':
      return <del>{nodesOf(token.tokens)}</del>;
    case 'codespan':
      return <code>{plainOf(token)}</code>;
    case 'br':
      return <br />;
    case 'link':
    case 'image':
      return <LinkNode token={token as Tokens.Link} />;
    case 'text':
      return <>{token.tokens === undefined ? plainOf(token) : nodesOf(token.tokens)}</>;
    case 'escape':
      return <>{plainOf(token)}</>;
    default:
      // Raw HTML among them: shown as the text that it is.
      return <>{token.raw}</>;
  }
}

/* The lexer leaves entities as they are. */
function plainOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw;
}

function CodeBlock({ token: { text, lang } }: { readonly token: Tokens.Code }) {
  return (
    <figure class="code">
      {lang !== undefined && lang !== '' && <figcaption>{lang}</figcaption>}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

function ListNode({ token: { ordered, start, items } }: { readonly token: Tokens.List }) {
  const inside = items.map((item, index) => (
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled />}
      {nodesOf(item.tokens)}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{inside}</ol> : <ul>{inside}</ul>;
}

function TableNode({ token: { header, rows } }: { readonly token: Tokens.Table }) {
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index}>{nodesOf(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, index) => (
                <td key={index}>{nodesOf(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LinkNode({ token: { href, text, tokens } }: { readonly token: Tokens.Link }) {
  const isOurs =
    URL.canParse(href) && ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol);
  if (!isOurs) return <>{text}</>;
  const shown = text.replace(/^https?:\/\//, '');
  const isPlain = href.includes(shown);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {nodesOf(tokens) ?? text}
      {!isPlain && <span class="where"> ({new URL(href).host || href})</span>}
    </a>
  );
}
