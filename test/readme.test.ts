import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { startPlatform, type OwnPlatform } from './support/platform.ts'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const tour = readme.slice(readme.indexOf('## A ten-minute tour'), readme.indexOf('## What it looks like'))
const blocks = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '')

/** One shell for all blocks, as a reader has one. Between two blocks it says which one it begins. */
function runTour(dataDir: string): Promise<{ code: number | null; output: string }> {
  const script = blocks.map((block, at) => `echo "== block ${at + 1}"\n${block}`).join('\n')
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: root, env: { ...process.env, DATA_DIR: dataDir } })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => { output += chunk.toString() })
  return new Promise((resolve) => shell.once('close', (code) => resolve({ code, output })))
}

describe('README.md: the ten-minute tour', () => {
  let fresh: OwnPlatform

  before(async function () {
    this.timeout(120_000)
    fresh = await startPlatform({ env: { RATE_LIMIT_KEY_PER_MINUTE: '6000' } })
  })
  after(() => fresh.stop())

  it('runs as it stands against a fresh start, every block of it', async function () {
    this.timeout(180_000)
    const { code, output } = await runTour(fresh.dataDir)
    expect(code, output).to.equal(0)
    expect([...output.matchAll(/^== block (\d+)$/gm)].length, output).to.equal(blocks.length)
    expect(output).to.match(/"status":"completed","total":500,"completed":500,"failed":0/)
    expect(output).to.match(/"type":"claim","status":"completed"/)
    expect(output).to.match(/unknown_member/)
    expect(output).to.match(/\[ 'mint', 'claim' \]/)
    expect(output).to.match(/The passport is claimed/)
  })

  it('has no shell block that the test does not run', () => {
    const fences = [...tour.matchAll(/^```(\w*)\n/gm)].map((match) => match[1]).filter((kind) => kind !== '')
    expect(fences.filter((kind) => kind === 'sh').length).to.equal(blocks.length)
    expect(fences.filter((kind) => !['sh', 'json'].includes(kind ?? ''))).to.deep.equal([])
  })
})
