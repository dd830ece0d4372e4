import { getOwnOrigins } from '../../../kernel/request/origin.ts'
import type { Context } from '../../../kernel/work.ts'
import { isApplicationOrigin } from '../../applications/index.ts'

/** Where a browser goes after a sign-in. */
export interface Destination {
  /** A path of ours, or an address on a domain of the application. */
  address: string
  /** Whether it is a page of ours, whose cookie tells who is signed in. */
  isOwn: boolean
}

/** A name that no page has. Source: RFC 6761, section 6.4. */
const ownBase = 'https://own.invalid'

/**
 * Finds where a sign-in may lead: to a page of ours, named by its path or its whole address, or to a page on a proven
 * domain of the application. @returns null for every other address
 */
export async function findDestination(
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  application: string,
  redirect: string,
): Promise<Destination | null> {
  // What a browser takes for another host, as //host and /\\host, is another host for the URL parser too.
  const path = redirect.startsWith('/') ? URL.parse(redirect, ownBase) : null
  if (path) return path.origin === ownBase ? { address: getPath(path), isOwn: true } : null
  const url = URL.parse(redirect)
  if (!url || url.username !== '' || url.password !== '') return null
  if (getOwnOrigins(settings).has(url.origin)) return { address: getPath(url), isOwn: true }
  const isAllowed = await isApplicationOrigin(db, application, url.origin, !settings.production)
  return isAllowed ? { address: url.href, isOwn: false } : null
}

const getPath = ({ pathname, search, hash }: URL): string => `${pathname}${search}${hash}`

/** Adds members to the fragment of an address, which browsers send to no server. */
export function addFragment(address: string, members: Record<string, string>): string {
  const url = new URL(address)
  url.hash = new URLSearchParams(members).toString()
  return url.href
}
