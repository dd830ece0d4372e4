import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'chai'
import { runAdmin, runAdminWithSettings } from '../../../support/admin-command.ts'
import { createTestEnvironment } from '../../../support/environment.ts'
import { startPlatform } from '../../../support/own-platform.ts'
import { formatOutcome, keptFiles, useArchivedPlatform } from './archived.ts'

const isRoot = process.getuid?.() === 0
const entry = join(import.meta.dirname, '../../../../core/commands/admin/admin.ts')

describe('admin restore: kills and a full disk', function () {
  this.timeout(600_000)
  const archived = useArchivedPlatform()

  it('leaves nothing that starts when killed with -9 at any moment, and succeeds when run again', async () => {
    const dataDir = archived.createFolder()
    const twin = await archived.rewrite('twin.backup', { head: { id: randomUUID() } })
    for (const point of [
      'restore.part:5',
      'restore.part:40',
      'restore.files',
      'restore.signer',
      'restore.filled',
      'restore.erased',
    ]) {
      const killed = await runAdminWithSettings({ DATA_DIR: dataDir, TESSERA_FAULT: point }, 'restore', archived.file)
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
      const backup = await runAdmin(dataDir, 'backup', join(archived.archives, 'half.backup'))
      expect(formatOutcome(backup), point).to.match(
        /^1 The restore of \S+ into this database, begun at \S+, has not ended/,
      )
    }
    expect(formatOutcome(await runAdmin(dataDir, 'restore', twin)), 'another backup').to.contain(
      `The restore of ${archived.file} into this database`,
    )
    const ran = await runAdmin(dataDir, 'restore', archived.file, '--json')
    expect(ran.code, formatOutcome(ran)).to.equal(0)
    const again = await runAdmin(dataDir, 'restore', archived.file)
    expect(formatOutcome(again)).to.match(/^1 DATA_DIR \S+ is not empty \(\S+.* have rows\)/)
    await archived.expectRestored(dataDir)
  })

  // Only root may have a file system of a size of its own.
  if (isRoot) {
    it('reports a full disk, leaves it empty, and succeeds when there is room', async () => {
      const dataDir = archived.createFolder([])
      // The file system ends with the shell: all of it happens in there.
      const script = `set -e
        chmod 711 "$DATA_DIR"; mount -t tmpfs -o size=400m,mode=711 tmpfs "$DATA_DIR"
        for name in ${keptFiles.join(' ')}; do cp "${archived.from}/$name" "$DATA_DIR/$name"; done
        restore() { "$NODE" "${entry}" restore "${archived.file}" --json; }
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
})
