import { uuidPattern } from '../../kernel/text/uuid.ts'

const maxPathLength = 200
/**
 * Maximum length of a part that is shown. Longer parts may be keys, sessions or tokens that somebody put into an
 * address.
 */
const maxPartLength = 20

/** Returns the path of a request without its possible secrets, for the log. */
export function redactPath(path: string): string {
  const parts = path.split('/').map((part) => (part.length > maxPartLength && !uuidPattern.test(part) ? '…' : part))
  return parts.join('/').slice(0, maxPathLength)
}
