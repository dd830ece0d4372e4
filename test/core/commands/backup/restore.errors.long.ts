import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { readArchive } from '../../../../core/commands/backup/archive.ts'
import { runAdmin, runAdminWithSettings } from '../../../support/admin-command.ts'
import { formatOutcome, keptFiles, useArchivedPlatform } from './archived.ts'

describe('admin restore: errors', function () {
  this.timeout(240_000)
  const archived = useArchivedPlatform()

  it('names keys that are missing or others before anything is written', async () => {
    const [key = ''] = archived.made.keys.platform
    const [ofSigner = ''] = archived.made.keys.signer
    const bare = archived.createFolder([])
    const missing = await runAdmin(bare, 'restore', archived.file)
    expect(formatOutcome(missing))
      .to.match(/^1 The backup is sealed with keys that are not here \(/)
      .and.to.contain(key)
      .and.to.contain('Nothing was written')
    const other = await runAdminWithSettings(
      { DATA_DIR: bare, KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') },
      'restore',
      archived.file,
    )
    expect(formatOutcome(other))
      .to.match(/^1 The backup is sealed with keys that are not here \(/)
      .and.to.contain(key)
    expect(readdirSync(bare)).to.deep.equal([])
    const half = archived.createFolder(['secrets.json'])
    const withoutSigner = await runAdmin(half, 'restore', archived.file)
    expect(formatOutcome(withoutSigner))
      .to.match(/^1 The signer's keys of the backup are sealed with keys that are not here \(/)
      .and.to.contain(ofSigner)
    expect(readdirSync(half)).to.deep.equal(['secrets.json'])
  })

  it('takes no archive with migrations that are not those of this version', async () => {
    const dataDir = archived.createFolder()
    const archive = await readArchive(archived.file)
    archive.close()
    const { migrations } = archive.head
    const later = await archived.rewrite('later.backup', {
      head: { migrations: [...migrations, { name: '999_later', checksum: '0' }] },
    })
    const changed = await archived.rewrite('changed.backup', {
      head: { migrations: migrations.map((one, at) => (at === 2 ? { ...one, checksum: '0' } : one)) },
    })
    expect(formatOutcome(await runAdmin(dataDir, 'restore', later))).to.equal(
      `1 ${later} was made with migrations that this version does not have (999_later): restore it with the version that made it, or a newer one\n`,
    )
    expect(formatOutcome(await runAdmin(dataDir, 'restore', changed))).to.contain(
      `that this version does not have (${migrations[2]?.name})`,
    )
    expect(readdirSync(dataDir)).to.have.members(keptFiles)
  })

  it('brings an archive of an older version to the schema of today', async () => {
    const dataDir = archived.createFolder()
    const archive = await readArchive(archived.file)
    archive.close()
    const migrations = archive.head.migrations.filter(({ name }) => name !== '048_idempotency_process')
    expect(migrations.length).to.equal(archive.head.migrations.length - 1)
    const ran = await runAdmin(
      dataDir,
      'restore',
      await archived.rewrite('older.backup', { head: { migrations }, withoutProcess: true }),
    )
    expect(ran.code, formatOutcome(ran)).to.equal(0)
    await archived.expectRestored(dataDir)
  })

  it('writes no file whose path is none of ours, as one that leads out of DATA_DIR', async () => {
    const dataDir = archived.createFolder()
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
      const bad = await archived.rewrite('path.backup', { path })
      expect(formatOutcome(await runAdmin(dataDir, 'restore', bad)), path).to.equal(
        `1 The backup has a file that is none of ours: ${JSON.stringify(path)}. Nothing was restored\n`,
      )
    }
    expect(existsSync(outside)).to.equal(false)
    expect(readdirSync(dataDir)).to.have.members(keptFiles)
    expect(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).to.equal(
      readFileSync(join(archived.from, 'secrets.json'), 'utf8'),
    )
  })
})
