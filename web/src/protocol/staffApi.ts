// The HTTP API for staff screens. Refusals of a machine and of the server look the same.

import type { Refused } from './messages';

export class RefusedError extends Error {
  constructor(readonly refused: Refused) {
    super(refused.sentence);
  }
}

/** The server cannot be reached; the request may have been carried out. */
export const unreachable: Refused = { code: 'unreachable', paragraphs: [], sentence: '' };

export async function call<T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST', ask: typeof fetch = fetch): Promise<T> {
  const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await answered(path, { method, ...init }, ask);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

/** A request without a person's act: it does not keep the login alive (F51). */
export async function polled<T>(path: string, ask: typeof fetch = fetch): Promise<T> {
  return (await answered(path, { headers: { 'taisai-unattended': 'yes' } }, ask)).json() as Promise<T>;
}

const MAX_PAGES = 100;

/** Downloads a file. A list comes in pages, each with a head line; `isCut` if there are more than the maximum. */
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

async function answered(path: string, init: RequestInit, ask: typeof fetch): Promise<Response> {
  const answer = await ask(`/api/v1/${path}`, init).catch(() => {
    throw new RefusedError(unreachable);
  });
  if (answer.ok) return answer;
  const body = (await answer.json().catch(() => null)) as { refused?: Refused } | null;
  throw new RefusedError(body?.refused ?? { code: 'internal', paragraphs: [], sentence: '' });
}

/** A path with its query; empty fields are left out. */
export function withQuery(path: string, fields: Record<string, string | number | boolean | null | undefined>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
