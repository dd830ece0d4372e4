import { createApiClient, type Answer, type Client } from '../support/client.ts'

/** Where a passport can be seen, by name. */
export const surfaces = [
  'passport',
  'list',
  'vc.jsonld',
  'vc.jsonld as vc+jwt',
  'anchor',
  'ownership',
  'QR code',
  'magic token',
  'events',
  'page',
  'token page',
  'report page',
  'report',
] as const
export type Surface = (typeof surfaces)[number]

export const viewers = ['anonymous', 'key of the organization', 'key of another', 'claimer'] as const
export type Viewer = (typeof viewers)[number]

export const states = ['draft', 'published', 'claimed', 'archived'] as const
export type State = (typeof states)[number]

export interface VisibleAnswer {
  answer: Answer
  cell: string
}

const jwt = { headers: { accept: 'application/vc+jwt' } }

/** What a viewer is answered about a passport on a surface, and that in two words. */
export async function readVisible(
  api: Client,
  surface: Surface,
  { id, tokenId }: { id: string; tokenId: string },
): Promise<VisibleAnswer> {
  const path = `/v1/dpp/passports/${id}`
  const get = async (
    address: string,
    read: (answer: Answer) => string,
    options: object = {},
  ): Promise<VisibleAnswer> => {
    const answer = await api.get(address, options)
    return { answer, cell: answer.status === 200 ? read(answer) : String(answer.status) }
  }
  switch (surface) {
    case 'passport':
      return get(path, members)
    case 'list':
      return get(`/v1/dpp/passports?filters[id][eq]=${id}`, rows)
    case 'vc.jsonld':
      return get(`${path}/vc.jsonld`, ({ body }) => (body['proof'] === undefined ? 'unsigned' : 'signed'))
    case 'vc.jsonld as vc+jwt':
      return get(`${path}/vc.jsonld`, () => 'signed', jwt)
    case 'anchor':
      return get(`${path}/anchor`, () => 'receipt')
    case 'ownership':
      return get(`${path}/ownership`, ({ body }) => `${(body as unknown as unknown[]).length} owners`)
    case 'QR code':
      return get(`${path}/qr-code`, () => 'picture')
    case 'magic token':
      return get(`${path}/magic-token`, () => 'secret')
    case 'events':
      return get(`/v1/events?filters[passport.id][eq]=${id}`, rows)
    case 'page':
      return get(`/p/${id}`, () => 'page', { unjudged: true })
    case 'token page':
      return get(`/t/${tokenId}`, () => 'metadata', { unjudged: true })
    case 'report page':
      return get(`/p/${id}/report`, () => 'page', { unjudged: true })
    case 'report': {
      const answer = await api.post(`${path}/reports`, { kind: 'other', text: 'A word' })
      return { answer, cell: answer.status === 204 ? 'taken' : String(answer.status) }
    }
  }
}

/** Members that only the organization sees. */
const own = ['reference', 'allowedClaimEmail', 'allowedClaimPhoneNumber', 'structureJob', 'certifyJob']

function members({ body }: Answer): string {
  const seen = own.filter((name) => name in body)
  if (seen.length === own.length) return 'all'
  return seen.length === 0 && !('id' in (body['mintedTo'] ?? {})) ? 'public' : `public and ${seen.join(', ')}`
}

const rows = ({ body }: Answer) => (Number(body['total']) > 0 ? 'all' : 'nothing')

/** The table as it stands in the file, one line a state and surface. */
export function formatTable(cells: ReadonlyMap<string, string>): string {
  const head = `| | ${['state', ...viewers].slice(1).join(' | ')} |\n|---|${viewers.map(() => '---|').join('')}\n`
  const line = (state: State, surface: Surface) =>
    `| ${state}: ${surface} | ${viewers.map((viewer) => cells.get(`${state} ${surface} ${viewer}`) ?? '?').join(' | ')} |\n`
  return head + states.flatMap((state) => surfaces.map((surface) => line(state, surface))).join('')
}

export const createApis = (keys: { own: string; another: string }, claimer: Client): Record<Viewer, Client> => ({
  anonymous: createApiClient(),
  'key of the organization': createApiClient(keys.own),
  'key of another': createApiClient(keys.another),
  claimer,
})
