import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createTemporaryFolder, removeFolder } from '../support/folders.ts'
import { platform } from '../support/platform.ts'
import { buildShop, type Shop } from '../support/world.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(root, 'core/docs/clients/assistants.md'), 'utf8')

/** The shell block of each client, by the heading above it. */
const recipes = [...page.matchAll(/^## (.+)$[^]*?^```sh\n([^]*?)^```$/gm)].map(([, title = '', script = '']) => ({
  title,
  script,
}))

/** Clients that the maintainers of the protocol did not write, as its users install them. */
describe('Recipes of core/docs/clients/assistants.md', function () {
  this.timeout(180_000)
  let home: string
  let shop: Shop

  before(async () => {
    home = createTemporaryFolder()
    shop = await buildShop()
    await shop.api.patch(`/v1/applications/${shop.application}`, { name: `demo ${shop.application}` })
  })
  after(() => removeFolder(home))

  it('are two, each with one shell block', () => {
    expect(recipes.map(({ title }) => title)).to.deep.equal([
      'From the command line: mcporter',
      'From a program: the AI SDK',
    ])
  })

  for (const { title, script } of recipes) {
    it(`lists tools, reads and writes as it stands: ${title}`, async () => {
      const { stdout } = await run('bash', ['-e', '-o', 'pipefail', '-c', script], {
        cwd: root,
        maxBuffer: 2 ** 26,
        env: {
          PATH: [join(root, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
          // Whatever a client keeps of its user, it keeps here.
          HOME: home,
          MCP: platform.bridge,
          API_KEY: shop.key,
        },
      })
      expect(stdout).to.contain('create_dpp_passport').and.to.contain('import_table')
      expect(stdout, 'what was found').to.contain(shop.application)
      const listed = await shop.api.get('/v1/applications?pageSize=100')
      const names = (listed.body['data'] as unknown as { name: string }[]).map(({ name }) => name)
      expect(names.filter((name) => script.includes(name))).to.have.length(1)
    })
  }
})
