import { LRUCache } from 'lru-cache'

/** A cache of limited size. If it is full, the entry that was not used for the longest time makes room. */
export type RecentCache<V extends object> = Pick<LRUCache<string, V>, 'get' | 'set' | 'delete' | 'clear'>

/** Creates an empty cache. @param lifetimeMs the time after which an entry is no longer found; by default it is endless */
export const createRecentCache = <V extends object>(maxEntries: number, lifetimeMs = 0): RecentCache<V> =>
  new LRUCache<string, V>({ max: maxEntries, ttl: lifetimeMs, ttlResolution: 0 })
