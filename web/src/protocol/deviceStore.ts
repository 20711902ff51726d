// Keeps the device key in IndexedDB, which can hold a key that cannot be exported.

import { NotEnrolled, type Device } from './device';

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
  let opened: IDBDatabase | undefined;
  try {
    const store = (opened = await database()).transaction(STORE, mode).objectStore(STORE);
    return await new Promise((resolve, reject) => {
      const request = act(store);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } catch {
    // The browser blocks storage or has no room.
    throw new NotEnrolled('not-kept', '');
  } finally {
    opened?.close();
  }
}

export async function keptDevice(kind: string): Promise<Device | undefined> {
  return within<Device | undefined>('readonly', (store) => store.get(kind));
}

export async function keepDevice(kind: string, device: Device): Promise<void> {
  await within('readwrite', (store) => store.put(device, kind));
}
