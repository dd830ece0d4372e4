import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { findFreePort } from '../../../core/start/ports.ts'
import { runEntry, type EntryRun } from '../../support/children/entries.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'
import { platform } from '../../support/platform.ts'
import { openRawConnection, type RawAnswer } from '../../support/network/raw.ts'

const key = Buffer.alloc(32, 3).toString('base64')

/** What production needs beside a database; a test takes one away at a time. */
const complete = {
  NODE_ENV: 'production',
  KEY_ENCRYPTION_KEY: key,
  SESSION_SECRET: 'a secret of this test only',
  BASE_URL: 'https://passports.example',
  SMTP_URL: 'smtp://127.0.0.1:1',
  LOG_LEVEL: 'error',
}

/** The sentence of each line, whether it is one of the log or plain text. */
const sentences = ({ lines }: EntryRun) =>
  lines.map((line) => (line.startsWith('{') ? (JSON.parse(line) as { msg: string }).msg : line))

const without = (name: keyof typeof complete) => ({ ...complete, [name]: '' })

describe('NODE_ENV=production: the start of a process', () => {
  let dataDir: string
  let env: NodeJS.ProcessEnv
  before(async () => {
    dataDir = createTemporaryFolder()
    env = { DATA_DIR: dataDir, DATABASE_URL: platform.database, PORT: `${await findFreePort()}` }
  })
  after(() => removeFolder(dataDir))

  for (const entry of ['core/server.ts', 'core/worker.ts']) {
    it(`names all missing settings at once, a line each, without a stack: ${entry}`, async () => {
      const ended = await runEntry(entry, { ...env, NODE_ENV: 'production' })
      expect(ended).to.include({ code: 1, ready: false })
      const namedSettings = sentences(ended)
      for (const name of ['KEY_ENCRYPTION_KEY', 'SESSION_SECRET', 'BASE_URL', 'SMTP_URL']) {
        expect(
          namedSettings.filter((line) => line.startsWith(name)),
          name,
        ).to.have.length(1)
      }
      expect(namedSettings).to.have.length(4)
      expect(ended.lines.join('\n')).not.to.contain('.ts:')
    })
  }

  it('is refused without a session secret', async () => {
    const ended = await runEntry('core/server.ts', { ...env, ...without('SESSION_SECRET') })
    expect(ended.code).to.equal(1)
    expect(sentences(ended)).to.deep.equal([
      'SESSION_SECRET is not set; production needs it: a secret of at least 16 characters',
    ])
  })

  it('is refused with a public address of http, unless ALLOW_HTTP says so', async () => {
    for (const address of [{ BASE_URL: 'http://passports.example' }, { PUBLIC_URL: 'http://passports.example' }]) {
      const ended = await runEntry('core/server.ts', { ...env, ...complete, ...address })
      expect(ended.code).to.equal(1)
      expect(sentences(ended).join()).to.match(/^(BASE|PUBLIC)_URL is not allowed: production needs an https address/)
      expect(
        (await runEntry('core/server.ts', { ...env, ...complete, ...address, ALLOW_HTTP: 'true' })).ready,
      ).to.equal(true)
    }
  })

  it('is refused without mail while people sign in by a code, and accepted where they do not', async () => {
    const ended = await runEntry('core/server.ts', { ...env, ...without('SMTP_URL') })
    expect(ended.code).to.equal(1)
    expect(sentences(ended).join()).to.match(/^SMTP_URL is not set; .*SIGN_IN_CODES=off/)
    expect((await runEntry('core/server.ts', { ...env, ...without('SMTP_URL'), SIGN_IN_CODES: 'off' })).ready).to.equal(
      true,
    )
  })

  it('is what a process without NODE_ENV is held to', async () => {
    const ended = await runEntry('core/server.ts', { ...env, KEY_ENCRYPTION_KEY: key })
    expect(ended.code).to.equal(1)
    expect(sentences(ended).join('\n')).to.contain('SESSION_SECRET is not set')
  })
})

describe('Invalid settings', () => {
  let dataDir: string
  before(() => {
    dataDir = createTemporaryFolder()
  })
  after(() => removeFolder(dataDir))

  for (const entry of ['core/start.ts', 'core/server.ts', 'core/worker.ts', 'core/signer.ts', 'bridge/server.ts']) {
    it(`ends ${entry} with one line, without a stack`, async () => {
      const ended = await runEntry(entry, {
        NODE_ENV: 'test',
        DATA_DIR: dataDir,
        LOG_LEVEL: 'loud',
        TRUST_PROXY: 'maybe',
      })
      expect(ended.code).to.equal(1)
      const folderSentences = sentences(ended)
      expect(
        folderSentences.filter((line) => line.startsWith('LOG_LEVEL')),
        folderSentences.join('\n'),
      ).to.have.length(1)
      expect(folderSentences.filter((line) => line.startsWith('TRUST_PROXY'))).to.have.length(1)
      expect(folderSentences).to.have.length(2)
      expect(ended.lines.join('\n')).not.to.contain('.ts:')
    })
  }
})

describe('DATA_DIR', () => {
  let folder: string
  before(() => {
    folder = createTemporaryFolder()
  })
  after(() => removeFolder(folder))

  it('ends every process at once with a sentence when it cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '')
    for (const [dataDir, entry] of [
      [join(folder, 'file'), 'core/start.ts'],
      [join(folder, 'file/below'), 'core/server.ts'],
      ['/proc/tessera', 'core/worker.ts'],
    ] as const) {
      const ended = await runEntry(entry, {
        NODE_ENV: 'test',
        DATA_DIR: dataDir,
        DATABASE_URL: platform.database,
        KEY_ENCRYPTION_KEY: key,
        PORT: `${await findFreePort()}`,
        BRIDGE_PORT: `${await findFreePort()}`,
      })
      expect(ended, entry).to.include({ code: 1, ready: false })
      expect(sentences(ended).join('\n'), entry).to.match(
        new RegExp(`^DATA_DIR ${dataDir} cannot be (made|written): .+`),
      )
      expect(ended.lines, entry).to.have.length(1)
    }
  })
})

describe('PORT', () => {
  let folder: string
  before(() => {
    folder = createTemporaryFolder()
    mkdirSync(folder, { recursive: true })
  })
  after(() => removeFolder(folder))

  it('is reported before anything starts when it is given twice', async () => {
    const port = `${await findFreePort()}`
    const other = `${await findFreePort()}`
    for (const [first, second] of [
      ['PORT', 'BRIDGE_PORT'],
      ['PORT', 'METRICS_PORT'],
      ['BRIDGE_PORT', 'METRICS_PORT'],
    ] as const) {
      const ports = { PORT: other, BRIDGE_PORT: `${await findFreePort()}`, [first]: port, [second]: port }
      const ended = await runEntry('core/start.ts', { NODE_ENV: 'test', DATA_DIR: folder, ...ports })
      expect(ended.code).to.equal(1)
      expect(sentences(ended)).to.deep.equal([`${first} and ${second} are both ${port}; give each a port of its own`])
    }
  })

  it('ends a process with one line when it is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const port = `${(holder.address() as AddressInfo).port}`
    const env = {
      NODE_ENV: 'test',
      DATA_DIR: folder,
      DATABASE_URL: platform.database,
      KEY_ENCRYPTION_KEY: key,
      SESSION_SECRET: complete.SESSION_SECRET,
    }
    try {
      for (const [entry, name] of [
        ['core/start.ts', 'PORT'],
        ['core/start.ts', 'METRICS_PORT'],
        ['core/server.ts', 'PORT'],
        ['core/server.ts', 'METRICS_PORT'],
        ['bridge/server.ts', 'BRIDGE_PORT'],
        ['core/worker.ts', 'METRICS_PORT'],
      ] as const) {
        const ended = await runEntry(entry, {
          LOG_LEVEL: 'error',
          PORT: `${await findFreePort()}`,
          BRIDGE_PORT: `${await findFreePort()}`,
          ...env,
          MCP_SECRET: key,
          [name]: port,
        })
        expect(ended.code, entry).to.equal(1)
        expect(sentences(ended), entry).to.deep.equal([
          `${name} ${port} is taken on 127.0.0.1; stop what listens there or set ${name} to another port`,
        ])
      }
    } finally {
      holder.close()
    }
  })
})

async function sendRaw(api: string, text: string): Promise<RawAnswer> {
  const connection = await openRawConnection(api)
  connection.send(text)
  return await connection.answer()
}

describe('Host header of a request', () => {
  const line = (host: string, target = '/v1/dpp/passports') =>
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`

  it('has to be one that is configured: others are answered 421 and told nothing', async () => {
    for (const host of ['evil.example', 'evil.example:443', 'localhost.evil.example', '203.0.113.7']) {
      const answer = await sendRaw(platform.api, line(host))
      expect(answer.status, host).to.equal(421)
      expect(JSON.parse(answer.body), host).to.include({ code: 'MISDIRECTED_REQUEST' })
      expect(answer.headers).not.to.have.property('location')
    }
  })

  it('may be a name of this machine in development, with any port', async () => {
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:3333', 'brand.localhost:80']) {
      expect(
        (await sendRaw(platform.api, line(host, '/v1/dpp/passports/01890000-0000-7000-8000-000000000000'))).status,
        host,
      ).to.equal(404)
    }
  })

  it('does not matter to what watches the process', async () => {
    expect((await sendRaw(platform.api, line('10.1.2.3:3333', '/health/live'))).status).to.equal(200)
  })
})

describe('GET /dev/outbox', () => {
  it('answers callers of this machine only', async () => {
    expect((await fetch(platform.outbox)).status).to.equal(200)
    for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-Ip', 'Via']) {
      for (const path of ['/dev/outbox', '/dev/outbox.json']) {
        const answer = await fetch(`${platform.api}${path}`, {
          headers: { [header]: header === 'Forwarded' ? 'for=203.0.113.5' : '203.0.113.5' },
        })
        expect(answer.status, `${header} ${path}`).to.equal(404)
      }
    }
  })
})
