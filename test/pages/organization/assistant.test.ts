import { expect } from 'chai'
import { getOwnClient, signInMember } from '../../core/identity/people.ts'
import { connectClient } from '../../support/bridge/bridge-client.ts'
import { platform } from '../../support/platform.ts'
import { buildMember, buildShop, type Shop } from '../../support/world.ts'

const entities: Record<string, string> = { '&quot;': '"', '&#39;': "'", '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** What a reader selects of an element and copies. */
function copy(text: string, id: string): string {
  const content = new RegExp(`<(?:pre|code) id="${id}"[^>]*>(.*?)</(?:pre|code)>`, 's').exec(text)?.[1]
  return (content ?? '').replace(/&[#\w]+;/g, (entity) => entities[entity] ?? entity)
}

interface Server {
  url: string
  headers: Record<string, string>
}

/** Reads the settings of a client as that client does. */
const readers: Record<string, (text: string) => Server> = {
  settings(text) {
    const { tessera } = (JSON.parse(text) as { mcpServers: { tessera: Server & { type: string } } }).mcpServers
    expect(tessera.type).to.equal('http')
    return tessera
  },
  command(text) {
    const words = [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    expect(words.slice(1, 6)).to.deep.equal(['mcp', 'add', '--transport', 'http', 'tessera'])
    const [name = '', value = ''] = words[words.indexOf('--header') + 1]?.split(': ') ?? []
    return { url: words[6] ?? '', headers: { [name]: value } }
  },
  request(text) {
    const [first = '', header = ''] = text.split('\n')
    const [name = '', value = ''] = header.split(': ')
    return { url: first.replace('POST ', ''), headers: { [name]: value } }
  },
}

describe('Console: assistant', function () {
  this.timeout(60_000)
  let shop: Shop
  let cookie: string
  before(async () => {
    shop = await buildShop()
    cookie = await signInMember(shop.owner, shop.organization)
  })

  const listTools = async ({ url, headers }: Server) => {
    const client = await connectClient(url, headers)
    const { tools } = await client.listTools()
    await client.close()
    return tools.map(({ name }) => name)
  }

  it('shows the address of the bridge, and settings with which a client lists the tools', async () => {
    const { text } = await getOwnClient(cookie).get('/console/assistant')
    expect(copy(text, 'address')).to.equal(platform.bridge)
    for (const [id, read] of Object.entries(readers)) {
      const server = read(copy(text, id).replaceAll('YOUR_API_KEY', shop.key))
      expect(server, id).to.deep.include({ url: platform.bridge, headers: { 'X-Api-Key': shop.key } })
      expect(await listTools(server), id).to.include('create_dpp_passport')
    }
  })

  it('leads to a form for a key, and the new key comes with the same settings', async () => {
    const { text } = await getOwnClient(cookie).get('/console/assistant')
    const address = /class="button small" href="([^"]+)"/.exec(text)?.[1] ?? ''
    const form = await getOwnClient(cookie).get(address)
    const boxes = [...form.text.matchAll(/name="(\w+:\w+)"[^>]* checked/g)].map(([, name = '']) => [name, 'yes'])
    expect(boxes).to.deep.include(['dpp:create', 'yes'])
    const answer = await fetch(`${platform.api}/console/keys`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie,
        origin: new URL(platform.api).origin,
      },
      body: new URLSearchParams({ name: 'Assistant', days: '', ...Object.fromEntries(boxes) }).toString(),
    })
    const secretPage = await answer.text()
    const secret = copy(secretPage, 'secret')
    for (const [id, read] of Object.entries(readers)) {
      const server = read(copy(secretPage, id))
      expect(server, id).to.deep.include({ url: platform.bridge, headers: { 'X-Api-Key': secret } })
      expect(await listTools(server), id).to.include('create_dpp_passport')
    }
  })

  it('is for every member, in their language; who may make no key is told who can', async () => {
    const viewer = await signInMember(await buildMember(shop.organization, 'viewer'), shop.organization)
    const { text, status } = await getOwnClient(viewer).get('/console/assistant', undefined, {
      'accept-language': 'fr',
    })
    expect(status).to.equal(200)
    expect(text).to.contain('Un propriétaire ou un administrateur crée la clé').and.to.not.contain('/console/keys')
  })
})
