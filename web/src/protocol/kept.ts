// Where a device keeps its key: the browser's own database, which holds a key that cannot be read out.

import type { Device } from './device';

const STORE = 'devices';

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const open = indexedDB.open('taisai', 1);
    open.onupgradeneeded = () => open.result.createObjectStore(STORE);
    open.onsuccess = () => resolve(open.result);
    open.onerror = () => reject(open.error);
  });
}

async function within<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opened = await database();
  try {
    return await new Promise((resolve, reject) => {
      const request = act(opened.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    opened.close();
  }
}

/** The device that this browser is, as this kind of screen. */
export async function keptDevice(kind: string): Promise<Device | undefined> {
  return within<Device | undefined>('readonly', (store) => store.get(kind));
}

export async function keepDevice(kind: string, device: Device): Promise<void> {
  await within('readwrite', (store) => store.put(device, kind));
}

export async function forgetDevice(kind: string): Promise<void> {
  await within('readwrite', (store) => store.delete(kind));
}
