import type { Context } from '../../../kernel/work.ts'
import { createRecentCache } from '../../../kernel/process/recent-cache.ts'
import { namePictures } from './pictures.store.ts'

/** Pictures that a page of this process has named within the hour; naming them again would change nothing. */
const seen = createRecentCache<object>(20_000, 3_600_000)
const isSeen = {}

/** Names the pictures of a page that somebody looks at, at most once an hour in this process. */
export async function nameSeenPictures(
  context: Pick<Context, 'db' | 'notices'>,
  organization: string,
  addresses: readonly string[],
): Promise<void> {
  const fresh = addresses.filter((address) => seen.get(`${organization} ${address}`) === undefined)
  if (fresh.length === 0) return
  await namePictures(context.db, context, organization, fresh)
  for (const address of fresh) seen.set(`${organization} ${address}`, isSeen)
}
