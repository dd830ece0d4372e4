import { expect } from 'chai'
import { createApiClient, type Client } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { createUntpItem } from '../support/values/untp.ts'
import { examplesByMember, examplesByTitle } from '../../core/http/openapi/examples/members.ts'
import { buildBuyer, buildCertifiedPassport, buildSheet, buildShop, type Shop } from '../support/world.ts'
import { signInMember } from '../core/identity/people.ts'

interface Content {
  examples?: Record<string, { $ref: string }>
}
interface Parameter {
  name: string
  in: string
  example: string
}
interface Described {
  parameters: Parameter[]
  operationId: string
  'x-access': string
  requestBody?: { content: Record<string, Content> }
}
interface Document {
  paths: Record<string, Record<string, Described>>
  components: { examples: Record<string, { value: unknown }> }
}

describe('openapi.json: examples of request bodies', () => {
  let shop: Shop
  let document: Document
  let callers: Record<'key' | 'buyer' | 'member', Client>
  /** What identifiers of the examples stand for here. */
  let own: [example: string, here: string][]

  before(async () => {
    shop = await buildShop()
    document = (await createApiClient().get('/openapi.json', { skipsDocumentCheck: true })).body as unknown as Document
    const { passportsFields } = examplesByTitle['NewSheet'] as { passportsFields: object[] }
    const sheet = await buildSheet(shop, { passportsFields })
    // Of no GTIN, since an example contests one.
    const passport = await buildCertifiedPassport(shop, {
      product: { ...createUntpItem('E-1'), id: 'https://id.example.com/E-1' },
    })
    const cookie = await signInMember(shop.owner, shop.organization)
    const plain = createApiClient({ cookie })
    const headers = { origin: new URL(platform.api).origin }
    const member: Client = {
      ...plain,
      send: (method, path, body, options) =>
        plain.send(method, path, body, { ...options, headers: { ...headers, ...options?.headers } }),
    }
    callers = { key: shop.api, buyer: await buildBuyer(shop), member }
    own = [
      [String(examplesByMember['application']), shop.application],
      [String(examplesByMember['organization']), shop.organization],
      [String(examplesByMember['product']), sheet],
      [String(examplesByMember['passport']), passport],
    ]
  })

  const here = (text: string) => own.reduce((replaced, [example, id]) => replaced.replaceAll(example, id), text)
  const callerOf = (access: string) =>
    access === 'endUser' ? callers.buyer : access === 'member' || access === 'session' ? callers.member : callers.key

  it('are understood and valid where they are sent as they stand', async () => {
    const wrong: string[] = []
    let sent = 0
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId, parameters, 'x-access': access, requestBody }] of Object.entries(methods)) {
        const examples = requestBody?.content['application/json']?.examples ?? {}
        for (const { $ref } of Object.values(examples)) {
          const body = here(JSON.stringify(document.components.examples[$ref.split('/').at(-1) ?? '']?.value))
          const target = parameters
            .filter((one) => one.in === 'path')
            .reduce((filled, { name, example }) => filled.replace(`{${name}}`, here(example)), path)
          const query =
            operationId === 'create_import_v1' ? `?entityName=DppPassport&application=${shop.application}` : ''
          const answer = await callerOf(access).send(method.toUpperCase(), target + query, undefined, {
            raw: body,
            headers: { 'content-type': 'application/json' },
          })
          sent++
          const code = String(answer.body?.['code'] ?? '')
          // A made-up certificate is none.
          if (operationId === 'set_wallet_credentials_v1') continue
          if (/^(INVALID_|VALIDATION_|UNSUPPORTED)/.test(code) || answer.status >= 500)
            wrong.push(`${operationId}: ${answer.text}`)
        }
      }
    }
    expect(wrong).to.deep.equal([])
    expect(sent).to.be.greaterThan(25)
  })
})
