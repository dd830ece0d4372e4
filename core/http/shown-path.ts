const maxLength = 200
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Longer parts may be keys, sessions and tokens that somebody put into an address. */
const maxPart = 20

/** The path of a request as a log may have it. */
export function shownPath(path: string): string {
  const parts = path.split('/').map((part) => (part.length > maxPart && !uuid.test(part) ? '…' : part))
  return parts.join('/').slice(0, maxLength)
}
