import type { Context } from '../../../core/kernel/work.ts'
import { deleteStaleUploads, deleteUpload, stageStream } from '../../../core/features/imports/staging/staging.ts'

/** Stages a stream of JSON as a request does, with a maximum of its own: that of requests would take 256 MB. */
export async function stageJson(
  context: Pick<Context, 'db'>,
  stream: AsyncIterable<Buffer>,
  { organization, maxBytes }: { organization: string; maxBytes: number },
): Promise<void> {
  await stageStream(context, stream, { organization, format: 'json', maxBytes })
}

/** Stages a file of CSV that came in one piece, and deletes it again. @returns the encoding that was detected */
export async function detectEncoding({ db }: Pick<Context, 'db'>, organization: string, file: Buffer): Promise<string> {
  async function* once() {
    yield file
  }
  const { upload, dialect } = await stageStream({ db }, once(), { organization, format: 'csv' })
  await deleteUpload(db, upload)
  return dialect.encoding
}

/** Deletes the files that no import will read, as upkeep does at intervals. */
export const removeStaleUploads = (context: Pick<Context, 'db'>): Promise<void> => deleteStaleUploads(context)
