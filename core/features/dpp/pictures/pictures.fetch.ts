import { createHash } from 'node:crypto'
import { OutboundError } from '../../../kernel/ports/outbound.ts'
import type { Context } from '../../../kernel/work.ts'
import { noteFailure, noteUnchanged, storeForms, type DuePicture } from './pictures.store.ts'
import type { PictureFailure } from './pictures.types.ts'

/** The limits of one fetch, redirects included. What the host says of the type does not count: the bytes do. */
const fetchLimits = { mediaTypes: [], maxBytes: 10 * 1024 * 1024, timeoutMs: 15_000 } as const

type FetchContext = Pick<Context, 'db' | 'outbound' | 'log'>

/**
 * Fetches a picture that a worker has taken, outside any transaction, and stores its sizes, or why there are none.
 * @param resizeInTurn runs what needs the processor, one after the other
 */
export async function fetchPicture(
  context: FetchContext,
  picture: DuePicture,
  resizeInTurn: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const failure = await fetchAndStore(context, picture, resizeInTurn)
  if (failure === null) return
  context.log.info({ picture: picture.id, failure }, 'a picture could not be fetched')
  await noteFailure(context.db, picture.id, failure)
}

async function fetchAndStore(
  { db, outbound }: FetchContext,
  picture: DuePicture,
  resizeInTurn: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<PictureFailure | null> {
  const source = await outbound.get(picture.address, fetchLimits).then(
    ({ body }) => body,
    (cause: unknown) => {
      if (cause instanceof OutboundError) return null
      throw cause
    },
  )
  if (source === null) return 'no_answer'
  const sourceHash = createHash('sha256').update(source).digest()
  if (picture.sourceHash?.equals(sourceHash)) {
    await noteUnchanged(db, picture.id)
    return null
  }
  // The library is large, and most workers begin without a picture to fetch.
  const { createForms } = await import('./pictures.forms.ts')
  const forms = await resizeInTurn(() => createForms(source))
  if (typeof forms === 'string') return forms
  return (await storeForms(db, picture, sourceHash, forms)) ? null : 'share_used'
}
