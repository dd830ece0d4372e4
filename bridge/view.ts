import type { IncomingHttpHeaders } from 'node:http'

/** What of the catalogue a request is shown. Nothing outside of it can be called either. */
export interface View {
  /** Names in order; null: all. */
  readonly toolsets: readonly string[] | null
  readonly readonly: boolean
  readonly readTools: boolean
  /** The list of tools carries output schemas (`?schemas=full`). */
  readonly fullSchemas: boolean
  /** The same for equal views: the key of everything that is made once. */
  readonly key: string
  /** Stated by a header, so that a cache that sees only the body could mix it up. */
  readonly byHeader: boolean
}

/** A view that there is not. The message says what is allowed. */
export class ViewError extends Error {
  override name = 'ViewError'
}

/** The view a request asks for: the query counts before the header. Throws ViewError. */
export function viewOf(url: string, _headers: IncomingHttpHeaders): View {
  const query = url.split('?')[1] ?? ''
  const fullSchemas = new URLSearchParams(query).get('schemas') === 'full'
  return { toolsets: null, readonly: false, readTools: false, fullSchemas, key: String(fullSchemas), byHeader: false }
}
