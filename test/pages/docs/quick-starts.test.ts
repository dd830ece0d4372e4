import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { formatQuickStarts } from '../../../core/pages/docs/quick-starts.ts'
import { createApiClient } from '../../support/client.ts'
import { findCurlEnvironment } from '../../support/network/curl.ts'
import { platform } from '../../support/platform.ts'

const runFile = promisify(execFile)

describe('Quick starts of GET /docs', function () {
  this.timeout(120_000)
  const sections = () =>
    formatQuickStarts({ baseUrl: platform.api, mcpUrl: platform.bridge })
      .split(/^## /m)
      .filter((section) => section !== '')

  const listBlocks = (section: string, kind: string) =>
    [...section.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block)

  /** Runs the commands of a quick start as they stand, with a key in the place of the reader's. */
  async function runCommands(title: string): Promise<string> {
    const section = sections().find((each) => each.startsWith(title)) ?? ''
    const [block = ''] = listBlocks(section, 'sh')
    const script = block
      .replaceAll('YOUR_API_KEY', platform.apiKey)
      .replaceAll('curl -sS ', "curl -sS --fail-with-body -w '\\n' ")
    const env = { ...process.env, ...(await findCurlEnvironment()) }
    const { stdout } = await runFile('bash', ['-e', '-c', script], { env, maxBuffer: 2 ** 26 })
    return stdout
  }

  it('are on the page as they are in the reference', async () => {
    const { text } = await createApiClient().get('/docs')
    for (const section of sections()) expect(text).to.contain(section.split('\n')[0])
    expect(text).to.contain('data-introduction="## Quick start: REST')
  })

  it('for REST list applications, make one, and list passports', async () => {
    const [applications, made, passports] = (await runCommands('Quick start: REST')).trim().split('\n')
    expect(JSON.parse(applications ?? ''))
      .to.have.property('data')
      .with.lengthOf.at.least(1)
    expect(JSON.parse(made ?? '')).to.have.property('name', 'First application')
    expect(JSON.parse(passports ?? '')).to.have.property('pageSize', 1)
  })

  it('for assistants have settings with the address of the bridge, and show tools, an operation and the guide', async () => {
    const section = sections().find((each) => each.startsWith('Quick start: AI')) ?? ''
    const [settings = ''] = listBlocks(section, 'json')
    expect(JSON.parse(settings)).to.deep.equal({
      mcpServers: {
        tessera: { type: 'http', url: platform.bridge, headers: { 'X-Api-Key': 'YOUR_API_KEY' } },
      },
    })
    const shown = await runCommands('Quick start: AI')
    for (const name of ['describe_operation', 'call_operation', 'list_applications', 'tessera://guide'])
      expect(shown).to.contain(name)
    expect(shown).not.to.contain('"error"').and.not.to.contain('"isError":true')
  })

  it('for demos show the prompts, the plan, and what the plan would do', async () => {
    const shown = await runCommands('Quick start: a demo')
    expect(shown).to.contain('prepare_demo_environment').and.to.contain('scenario passport, runId first')
    expect(shown.split('scenario passport, runId first').length).to.equal(3)
    expect(shown).not.to.contain('"error"')
  })

  it('lead to pages of the console that there are', async () => {
    const links = sections().flatMap((section) =>
      [...section.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = '']) => link),
    )
    expect(links).to.include('/console/demo').and.to.include('/openapi.json')
    for (const link of links) {
      const { status } = await createApiClient().get(link, { skipsDocumentCheck: true })
      expect(status, link).to.be.oneOf([200, 302, 303])
    }
  })
})
