import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { findFreePort } from '../core/start/ports.ts'
import { findCurlEnvironment } from './support/network/curl.ts'
import { removeFolder, createTemporaryFolder } from './support/folders.ts'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const tour = readme.slice(readme.indexOf('## A ten-minute tour'), readme.indexOf('## What it looks like'))
const blocks = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '')

/** One shell for all blocks, as a reader has one. Between two blocks it says which one it begins. */
async function runTour(dataDir: string): Promise<{ code: number | null; output: string }> {
  const script = blocks.map((block, at) => `echo "== block ${at + 1}"\n${block}`).join('\n')
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd: root,
    env: { ...process.env, ...(await findCurlEnvironment()), DATA_DIR: dataDir },
  })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  return new Promise((resolve) => shell.once('close', (code) => resolve({ code, output })))
}

interface Started {
  dataDir: string
  stop(): Promise<void>
}

/** `npm start` as a newcomer types it, with a folder and ports of its own. */
async function npmStart(): Promise<Started> {
  const dataDir = createTemporaryFolder()
  const { PATH, HOME } = process.env
  const env = {
    PATH,
    HOME,
    DATA_DIR: dataDir,
    PORT: String(await findFreePort()),
    BRIDGE_PORT: String(await findFreePort()),
  }
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      if ((said += chunk.toString()).includes('Ctrl-C stops everything')) resolve()
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', hear)
    child.once('exit', () => reject(new Error(`npm start ended: ${said}`)))
  })
  const stop = async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
    await ended
    await removeFolder(dataDir)
  }
  return { dataDir, stop }
}

describe('README.md: the ten-minute tour', () => {
  let fresh: Started

  before(async function () {
    this.timeout(120_000)
    fresh = await npmStart()
  })
  after(async function () {
    this.timeout(60_000)
    await fresh.stop()
  })

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
    expect(output).to.match(/Made on > product.productionDate > \w+ > .*date\(dd.MM.yyyy\)/)
    expect(output).to.match(/created: 2, updated: 0, skipped: 0, failed: 1/)
    expect(output).to.match(/^4,product.productionDate,\w+,.*31.02.2026,error,\r?$/m)
  })

  it('has no shell block that the test does not run', () => {
    const fences = [...tour.matchAll(/^```(\w*)\n/gm)].map((match) => match[1]).filter((kind) => kind !== '')
    expect(fences.filter((kind) => kind === 'sh').length).to.equal(blocks.length)
    expect(fences.filter((kind) => !['sh', 'json'].includes(kind ?? ''))).to.deep.equal([])
  })
})
