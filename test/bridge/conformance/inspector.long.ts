import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { keepFigures } from '../../figures/keep-figures.ts'
import { useFixtureBridge } from '../../support/bridge/bridge-fixture.ts'
import { sendModernRequest, parseResult } from '../../support/bridge/modern-client.ts'
import { toPlainResult, prepareTwelveAnswers, createTwelveCalls, type ScriptedCall } from '../protocol/twelve-calls.ts'

const run = promisify(execFile)
const version = '2.12.0'

/** What its command line says for a result with `isError`. */
const toolError = 5

/** The Inspector is much more than its command line, so it is no dependency: it is installed for this run alone. */
describe(`MCP Inspector ${version}`, function () {
  this.timeout(300_000)
  const { api, bridge } = useFixtureBridge()
  let folder = ''
  const rows: { era: string; calls: number; same: number }[] = []

  before(async () => {
    prepareTwelveAnswers(api)
    folder = await mkdtemp(join(tmpdir(), 'inspector-'))
    const what = [`@modelcontextprotocol/inspector@${version}`, '--prefix', folder]
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...what], { cwd: folder })
  })
  after(async () => {
    await rm(folder, { recursive: true })
    keepFigures('speed/inspector', {
      command: 'npm run test:long -- test/bridge/conformance/inspector.long.ts',
      version,
      rows,
    })
  })

  /** What its command line printed for one call. */
  async function inspect(era: string, call: ScriptedCall): Promise<unknown> {
    const launcher = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
    const server = ['--server-url', bridge.url, '--transport', 'http', '--protocol-era', era]
    const args = [launcher, '--cli', ...server, '--quiet', '--format', 'json', ...argumentsOf(call)]
    // It keeps a catalogue in the home of whoever runs it.
    const env = { PATH: process.env['PATH'], HOME: folder }
    const { stdout } = await run(process.execPath, args, { env, maxBuffer: 2 ** 26 }).catch((cause: unknown) => {
      if ((cause as { code?: unknown }).code !== toolError) throw cause
      return cause as { stdout: string }
    })
    return (JSON.parse(stdout) as { result: unknown }).result
  }

  for (const era of ['legacy', 'modern']) {
    it(`does the twelve calls in the ${era} era with the results of every other client`, async () => {
      const row = { era, calls: 0, same: 0 }
      rows.push(row)
      for (const call of createTwelveCalls(api.url)) {
        row.calls++
        const expected = toPlainResult(parseResult(await sendModernRequest(bridge.url, call.method, call.params)))
        expect(toPlainResult(await inspect(era, call)), call.name).to.deep.equal(expected)
        row.same++
      }
      expect(row).to.deep.equal({ era, calls: 12, same: 12 })
    })
  }
})

function argumentsOf({ method, params }: ScriptedCall): string[] {
  const { name, uri, arguments: given = {} } = params
  const what = ['--method', method]
  if (method === 'tools/call') return [...what, '--tool-name', String(name), '--tool-args-json', JSON.stringify(given)]
  if (method === 'resources/read') return [...what, '--uri', String(uri)]
  if (method !== 'prompts/get') return what
  const pairs = Object.entries(given as object).map(([key, value]) => `${key}=${String(value)}`)
  return [...what, '--prompt-name', String(name), '--prompt-args', ...pairs]
}
