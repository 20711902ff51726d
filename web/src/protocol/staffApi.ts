// What staff screens ask of the house over HTTP. A refusal comes back as one, whoever refused: a machine or the server.

import type { Refused } from './messages';

/** What a staff screen is told when the house does not do what it was asked. */
export class RefusedError extends Error {
  constructor(readonly refused: Refused) {
    super(refused.sentence);
  }
}

/** The house cannot be reached; what was asked may have been done. */
export const unreachable: Refused = { code: 'unreachable', paragraphs: [], sentence: '' };

/** Asks, and gives what was answered. */
export async function call<T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST', ask: typeof fetch = fetch): Promise<T> {
  const said = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await answered(path, { method, ...said }, ask);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

/** Looks by itself, with nobody at the screen: that keeps nobody signed in (F51). */
export async function polled<T>(path: string, ask: typeof fetch = fetch): Promise<T> {
  return (await answered(path, { headers: { 'taisai-unattended': 'yes' } }, ask)).json() as Promise<T>;
}

/** So many pages of a list are joined at most. */
const MAX_PAGES = 100;

/** A file of the house. A list comes page after page, each with its head; `isCut` where it goes on after so many. */
export async function file(path: string, ask: typeof fetch = fetch): Promise<{ file: Blob; isCut: boolean }> {
  const parts: Blob[] = [];
  let after: string | null = null;
  do {
    const answer: Response = await answered(after === null ? path : `${path}&${new URLSearchParams({ after })}`, {}, ask);
    const part = await answer.blob();
    parts.push(after === null ? part : new Blob([(await part.text()).replace(/^[^\n]*\n/, '')]));
    after = answer.headers.get('taisai-after');
  } while (after !== null && parts.length < MAX_PAGES);
  return { file: new Blob(parts, { type: parts[0]!.type }), isCut: after !== null };
}

async function answered(path: string, said: RequestInit, ask: typeof fetch): Promise<Response> {
  const answer = await ask(`/api/v1/${path}`, said).catch(() => {
    throw new RefusedError(unreachable);
  });
  if (answer.ok) return answer;
  const told = (await answer.json().catch(() => null)) as { refused?: Refused } | null;
  throw new RefusedError(told?.refused ?? { code: 'internal', paragraphs: [], sentence: '' });
}

/** What is found under a path, with what is asked for; empty fields are left out. */
export function asked(path: string, fields: Record<string, string | number | boolean | null | undefined>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
