// The public HTTP API: tables, layouts, rules.

/** The server answered that there is no such thing. */
export class NotFoundError extends Error {}

export async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`/api/v1/${path}`);
  if (answer.status === 404 || answer.status === 400) throw new NotFoundError(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json() as Promise<T>;
}

export function socketAt(path: string): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/v1/${path}`;
}
