import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { readArchive, writeArchive, type ArchiveHead } from '../../../../core/commands/backup/archive.ts'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { findFreePort } from '../../../../core/start/ports.ts'
import { signIn } from '../../../proof/stage/buyers.ts'
import { runAdmin, runAdminWithSettings, type CommandResult } from '../../../support/admin-command.ts'
import { createApiClient } from '../../../support/client.ts'
import { createTestEnvironment } from '../../../support/environment.ts'
import { removeFolder, createTemporaryFolder } from '../../../support/folders.ts'
import { startPlatform } from '../../../support/own-platform.ts'
import { hasRestoreMark } from '../../../support/rows/database/restores.ts'
import { countUsers } from '../../../support/rows/identity/users.ts'
import { buildCertifiedPassport } from '../../../support/world.ts'
import { verifyByApi } from '../../certification/verify/verify.ts'

const isRoot = process.getuid?.() === 0
const kept = ['secrets.json', 'signer.json', 'erased-persons.ndjson']
const entry = join(import.meta.dirname, '../../../../core/commands/admin/admin.ts')

describe('admin restore: errors', function () {
  this.timeout(240_000)
  const folders = [createTemporaryFolder(), createTemporaryFolder()]
  const [from = '', archives = ''] = folders
  const file = join(archives, 'tessera.backup')
  const gone = `gone-${randomUUID()}@people.example`
  let ports: { PORT: string; BRIDGE_PORT: string }
  let credential = ''
  let passport = ''
  let keys: { platform: string[]; signer: string[] }

  before(async () => {
    // Credentials name the address of where they were made, so what takes its place has the same.
    ports = { PORT: `${await findFreePort()}`, BRIDGE_PORT: `${await findFreePort()}` }
    const platform = await startPlatform({ dataDir: from, ports })
    try {
      const api = createApiClient(platform.apiKey, platform.api)
      passport = await buildCertifiedPassport({ api, application: platform.application } as Parameters<
        typeof buildCertifiedPassport
      >[0])
      credential = (await api.get(`/v1/dpp/passports/${passport}/vc.jsonld`)).text
      await signIn(platform, gone)
      const ran = await runAdmin(from, 'backup', file, '--json')
      expect(ran.code, ran.err).to.equal(0)
      keys = ran.json['keys'] as unknown as typeof keys
      expect((await runAdmin(from, 'person', 'erase', gone)).code).to.equal(0)
    } finally {
      await platform.stop()
    }
  })
  after(async () => {
    for (const folder of folders) await removeFolder(folder)
  })

  /** A new DATA_DIR with files of the old one. */
  function folder(names: readonly string[] = kept): string {
    const dataDir = createTemporaryFolder()
    folders.push(dataDir)
    for (const name of names) copyFileSync(join(from, name), join(dataDir, name))
    return dataDir
  }

  const formatOutcome = ({ code, out, err }: CommandResult) => `${code} ${out}${err}`

  interface Change {
    head?: Partial<ArchiveHead>
    path?: string
    withoutProcess?: boolean
  }

  /** The archive with another head, with a file more, or from before the last column of one table. */
  async function rewritten(name: string, { head = {}, path, withoutProcess = false }: Change): Promise<string> {
    const to = join(archives, name)
    rmSync(to, { force: true })
    const [archive, copy] = [await readArchive(file), await writeArchive(to)]
    await copy.writeFrame({ ...archive.head, ...head })
    let files = 0
    for await (const { part, content } of archive.parts()) {
      const isOlder = withoutProcess && part.kind === 'table' && part.name === 'idempotency'
      if (isOlder) expect(part.columns.at(-1)).to.equal('process')
      await copy.writeFrame(isOlder ? { ...part, columns: part.columns.slice(0, -1) } : part)
      for await (const piece of content)
        await copy.writeContent(isOlder ? Buffer.from(piece.toString().replaceAll(/\t[^\t\n]*$/gm, '')) : piece)
      await copy.endContent()
      if (part.kind === 'file') files++
    }
    if (path !== undefined) {
      await copy.writeFrame({ kind: 'file', path })
      await copy.writeContent(Buffer.from('not ours'))
      await copy.endContent()
      files++
    }
    const { sequences, tables, rows } = archive.end()
    await copy.finish({ sequences, tables, rows, files })
    archive.close()
    return to
  }

  it('names keys that are missing or others before anything is written', async () => {
    const [key = ''] = keys.platform
    const [ofSigner = ''] = keys.signer
    const bare = folder([])
    const missing = await runAdmin(bare, 'restore', file)
    expect(formatOutcome(missing))
      .to.match(/^1 The backup is sealed with keys that are not here \(/)
      .and.to.contain(key)
      .and.to.contain('Nothing was written')
    const other = await runAdminWithSettings(
      { DATA_DIR: bare, KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') },
      'restore',
      file,
    )
    expect(formatOutcome(other))
      .to.match(/^1 The backup is sealed with keys that are not here \(/)
      .and.to.contain(key)
    expect(readdirSync(bare)).to.deep.equal([])
    const half = folder(['secrets.json'])
    const withoutSigner = await runAdmin(half, 'restore', file)
    expect(formatOutcome(withoutSigner))
      .to.match(/^1 The signer's keys of the backup are sealed with keys that are not here \(/)
      .and.to.contain(ofSigner)
    expect(readdirSync(half)).to.deep.equal(['secrets.json'])
  })

  it('takes no archive with migrations that are not those of this version', async () => {
    const dataDir = folder()
    const archive = await readArchive(file)
    archive.close()
    const { migrations } = archive.head
    const later = await rewritten('later.backup', {
      head: { migrations: [...migrations, { name: '999_later', checksum: '0' }] },
    })
    const changed = await rewritten('changed.backup', {
      head: { migrations: migrations.map((one, at) => (at === 2 ? { ...one, checksum: '0' } : one)) },
    })
    expect(formatOutcome(await runAdmin(dataDir, 'restore', later))).to.equal(
      `1 ${later} was made with migrations that this version does not have (999_later): restore it with the version that made it, or a newer one\n`,
    )
    expect(formatOutcome(await runAdmin(dataDir, 'restore', changed))).to.contain(
      `that this version does not have (${migrations[2]?.name})`,
    )
    expect(readdirSync(dataDir)).to.have.members(kept)
  })

  it('brings an archive of an older version to the schema of today', async () => {
    const dataDir = folder()
    const archive = await readArchive(file)
    archive.close()
    const migrations = archive.head.migrations.filter(({ name }) => name !== '048_idempotency_process')
    expect(migrations.length).to.equal(archive.head.migrations.length - 1)
    const ran = await runAdmin(
      dataDir,
      'restore',
      await rewritten('older.backup', { head: { migrations }, withoutProcess: true }),
    )
    expect(ran.code, formatOutcome(ran)).to.equal(0)
    await expectRestored(dataDir)
  })

  it('writes no file whose path is none of ours, as one that leads out of DATA_DIR', async () => {
    const dataDir = folder()
    const outside = join(dirname(dataDir), `outside-${randomUUID()}`)
    const name = `b${'a'.repeat(58)}`
    const paths = [
      `../${outside.split('/').pop()}`,
      outside,
      `ipfs/../../${outside.split('/').pop()}`,
      `ipfs/aa/${name}/../../../../${outside.split('/').pop()}`,
      'secrets.json',
      './secrets.json',
      'lock',
      'postgres/cluster/pg_hba.conf',
      'anvil/state.json\0.txt',
      `ipfs/aa/${name}\n`,
      'ipfs\\..\\x',
      '',
    ]
    for (const path of paths) {
      const bad = await rewritten('path.backup', { path })
      expect(formatOutcome(await runAdmin(dataDir, 'restore', bad)), path).to.equal(
        `1 The backup has a file that is none of ours: ${JSON.stringify(path)}. Nothing was restored\n`,
      )
    }
    expect(existsSync(outside)).to.equal(false)
    expect(readdirSync(dataDir)).to.have.members(kept)
    expect(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).to.equal(
      readFileSync(join(from, 'secrets.json'), 'utf8'),
    )
  })

  it('leaves nothing that starts when killed with -9 at any moment, and succeeds when run again', async () => {
    const dataDir = folder()
    const twin = await rewritten('twin.backup', { head: { id: randomUUID() } })
    for (const point of [
      'restore.part:5',
      'restore.part:40',
      'restore.files',
      'restore.signer',
      'restore.filled',
      'restore.erased',
    ]) {
      const killed = await runAdminWithSettings({ DATA_DIR: dataDir, TESSERA_FAULT: point }, 'restore', file)
      expect(killed.code, `${point} ${formatOutcome(killed)}`).to.equal(-1)
      expect(killed.err, point).to.contain('"struck"')
      if (!['restore.part:40', 'restore.signer', 'restore.filled'].includes(point)) continue
      const start = await startPlatform({ dataDir }).then(
        (platform) => platform.stop(),
        (cause: Error) => cause,
      )
      expect(start, point).to.be.instanceOf(Error)
      expect(String(start), point).to.match(
        /The restore of \S+tessera.backup into this database, begun at \S+, has not ended: run it again with that file/,
      )
      const archived = await runAdmin(dataDir, 'backup', join(archives, 'half.backup'))
      expect(formatOutcome(archived), point).to.match(
        /^1 The restore of \S+ into this database, begun at \S+, has not ended/,
      )
    }
    expect(formatOutcome(await runAdmin(dataDir, 'restore', twin)), 'another backup').to.contain(
      `The restore of ${file} into this database`,
    )
    const ran = await runAdmin(dataDir, 'restore', file, '--json')
    expect(ran.code, formatOutcome(ran)).to.equal(0)
    const again = await runAdmin(dataDir, 'restore', file)
    expect(formatOutcome(again)).to.match(/^1 DATA_DIR \S+ is not empty \(\S+.* have rows\)/)
    await expectRestored(dataDir)
  })

  // Only root may have a file system of a size of its own.
  if (isRoot) {
    it('reports a full disk, leaves it empty, and succeeds when there is room', async () => {
      const dataDir = createTemporaryFolder()
      folders.push(dataDir)
      // The file system ends with the shell: all of it happens in there.
      const script = `set -e
        chmod 711 "$DATA_DIR"; mount -t tmpfs -o size=400m,mode=711 tmpfs "$DATA_DIR"
        for name in ${kept.join(' ')}; do cp "${from}/$name" "$DATA_DIR/$name"; done
        restore() { "$NODE" "${entry}" restore "${file}" --json; }
        started() { "$NODE" "${entry}" backup "$DATA_DIR/started.backup"; }
        mkdir -p "$DATA_DIR/anvil"
        # A database is made first, so that there is no room for the rows and not for the server.
        started || true
        left=$(df --output=avail -k "$DATA_DIR" | tail -n 1)
        fallocate -l "$((left - 1500))K" "$DATA_DIR/filler"
        restore && echo RESTORED || echo "ENDED $?"
        rm "$DATA_DIR/filler"
        restore && echo RESTORED || echo "ENDED $?"`
      const env = createTestEnvironment({ DATA_DIR: dataDir, NODE: process.execPath })
      const { stdout, stderr } = spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script], {
        env,
        encoding: 'utf8',
      })
      const all = `${stdout}\n${stderr}`
      expect(stdout, all).to.match(/ENDED 1[^]*RESTORED/)
      expect(stderr, all).to.match(/^The disk is full: .*No space left on device\. Nothing was restored$/m)
    })
  }

  async function expectRestored(dataDir: string): Promise<void> {
    const platform = await startPlatform({ dataDir, ports })
    const db = connectDatabase({ url: platform.database, name: 'tests', maxConnections: 1 })
    try {
      const api = createApiClient({}, platform.api)
      expect(
        (await createApiClient(platform.apiKey, platform.api).get(`/v1/dpp/passports/${passport}/vc.jsonld`)).text,
      ).to.equal(credential)
      const found = await verifyByApi(JSON.parse(credential), api)
      expect(found.verdict, JSON.stringify(found.checks)).to.equal('verified')
      expect([await countUsers(db, gone), await hasRestoreMark(db)]).to.deep.equal([0, false])
    } finally {
      await db.destroy()
      await platform.stop()
    }
  }
})
