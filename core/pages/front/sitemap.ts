import { Readable } from 'node:stream'
import { findProvenOwner } from '../../features/applications/index.ts'
import { iteratePublicModels, listPublicModelPages, type PublicModelPlace } from '../../features/dpp/index.ts'
import { answerStream, answerText } from '../../kernel/answer.ts'
import { declareOperation, type RequestDetails } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { getRequestHost } from '../../kernel/request/request-host.ts'
import { optional, string } from '../../kernel/schema.ts'
import type { Context } from '../../kernel/work.ts'

/** The most addresses of one sitemap. Source: Sitemaps protocol, "Sitemap file location" and "Index". */
const maxAddresses = 50_000

const type = 'application/xml; charset=utf-8'
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** What the sitemap of a host lists: addresses that begin with its own origin. */
interface ListedHost {
  origin: string
  /** The application that has proven the host; null for the host of all public pages. */
  application: string | null
}

/**
 * Finds what the sitemap of the requested host lists. A host of the platform that has no public pages lists nothing, and
 * the host of an application only its own passports, because a sitemap speaks for its own host alone.
 */
export async function findListedHost(context: Context, request: RequestDetails): Promise<ListedHost | null> {
  const { publicUrl, trustProxy } = context.settings
  const host = getRequestHost(request, trustProxy)
  const { hostname, origin, protocol } = new URL(publicUrl)
  if (host === hostname) return { origin, application: null }
  const owner = await findProvenOwner(context.db, host)
  return owner ? { origin: `${protocol}//${host}`, application: owner.application } : null
}

/**
 * The sitemap of public models: without a query the index, which names its parts by the place at which each begins.
 * Passports of a sheet are single items and have no model, and those of a batch or an item belong to a model that is
 * listed.
 */
export const sitemapOperation = declareOperation({
  id: 'sitemap_v1',
  method: 'GET',
  path: '/sitemap.xml',
  access: 'public',
  query: {
    from: optional(
      string('The place at which a part begins.', {
        pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.][0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      }),
    ),
  },
  returns: { 200: { type, description: 'The index, or one part.' } },
  document: { tag: 'Pages', summary: 'The public models for search engines', isHidden: true },
}).withReadHandler(async ({ query: { from }, request, work: { context } }) => {
  const host = await findListedHost(context, request)
  if (!host) throw createNotFoundProblem()
  const headers = { 'Cache-Control': 'public, max-age=3600', Vary: 'Host' }
  if (from === undefined) return answerText(await renderIndex(context, host), type, headers)
  const [application = '', id = ''] = from.split('.')
  return answerStream(
    Readable.from(renderPart(context, host, { application, id }), { objectMode: false }),
    type,
    headers,
  )
})

async function renderIndex({ db }: Context, { origin, application }: ListedHost): Promise<string> {
  const places = await listPublicModelPages(db, maxAddresses, application)
  const parts = places.map(
    (place) => `<sitemap><loc>${origin}/sitemap.xml?from=${formatPlace(place)}</loc></sitemap>\n`,
  )
  return `${declaration}<sitemapindex ${namespace}>\n${parts.join('')}</sitemapindex>\n`
}

const formatPlace = ({ application, id }: PublicModelPlace): string => `${application}.${id}`

async function* renderPart({ db }: Context, { origin, application }: ListedHost, from: PublicModelPlace) {
  yield `${declaration}<urlset ${namespace}>\n`
  for await (const models of iteratePublicModels(db, { from, application, limit: maxAddresses }))
    yield models
      .map(
        ({ id, updatedAt }) => `<url><loc>${origin}/p/${id}</loc><lastmod>${updatedAt.toISOString()}</lastmod></url>\n`,
      )
      .join('')
  yield '</urlset>\n'
}
