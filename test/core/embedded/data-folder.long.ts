import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startPostgres } from '../../../core/embedded/postgres/postgres.ts'
import { ClusterPlaceError } from '../../../core/embedded/postgres/postgres.place.ts'
import { createKeptNumbers, listKeptNumbers } from '../../support/embedded/kept-numbers.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'

const isRoot = process.getuid?.() === 0
const giveUp = (cause: Error) => {
  throw cause
}

describe('Embedded PostgreSQL: the folder of its data', function () {
  this.timeout(60_000)
  const folders: string[] = []
  afterEach(async () => {
    for (const folder of folders.splice(0)) await removeFolder(folder)
  })

  /** @param mode of the folder: what makes it open or closed to the user who runs the server for root */
  function folder(mode: number): string {
    const dataDir = createTemporaryFolder()
    chmodSync(dataDir, mode)
    folders.push(dataDir)
    return dataDir
  }

  async function runOnServer<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
    const server = await startPostgres({ dataDir, giveUp, durable: false })
    try {
      return await work(server.url)
    } finally {
      await server.stop()
    }
  }

  const fill = (dataDir: string) => runOnServer(dataDir, createKeptNumbers)
  const read = (dataDir: string) => runOnServer(dataDir, listKeptNumbers)

  it('is in DATA_DIR where the user of the server can reach it', async () => {
    const dataDir = folder(0o711)
    await fill(dataDir)
    expect(lstatSync(join(dataDir, 'postgres')).isDirectory()).to.equal(true)
    expect(existsSync(join(dataDir, 'postgres/cluster/PG_VERSION'))).to.equal(true)
    expect(lstatSync(join(dataDir, 'postgres')).mode & 0o777).to.equal(0o700)
  })

  it('is led to from DATA_DIR where root alone can reach that, and is never below /var/tmp', async () => {
    const dataDir = folder(0o700)
    await fill(dataDir)
    const { id } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { id: string }
    const wanted = isRoot ? `/var/lib/tessera/${id}` : realpathSync(join(dataDir, 'postgres'))
    expect(realpathSync(join(dataDir, 'postgres'))).to.equal(wanted)
    expect(existsSync(join(wanted, 'cluster/PG_VERSION'))).to.equal(true)
    // A place that was chosen stays, also when another one could be chosen now.
    chmodSync(dataDir, 0o711)
    expect(await read(dataDir)).to.deep.equal([1])
    expect(realpathSync(join(dataDir, 'postgres'))).to.equal(wanted)
  })

  it('takes over what an earlier version kept below /var/tmp', async () => {
    const dataDir = folder(0o711)
    await fill(dataDir)
    const { id } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { id: string }
    const earlier = `/var/tmp/tessera-postgres-${id}`
    // An ordinary user had it in DATA_DIR then, as now.
    if (isRoot) renameSync(join(dataDir, 'postgres'), earlier)
    expect(await read(dataDir)).to.deep.equal([1])
    expect(existsSync(earlier)).to.equal(false)
  })

  it('goes along with a copy of DATA_DIR', async () => {
    const [from, to] = [folder(0o711), folder(0o711)]
    await fill(from)
    execFileSync('cp', ['-r', `${from}/.`, to])
    chmodSync(to, 0o711)
    expect(await read(to)).to.deep.equal([1])
  })

  // An ordinary user has no link that could be copied.
  if (isRoot) {
    it('is refused to a copy of a DATA_DIR that leads elsewhere, and goes along with one that is moved', async () => {
      const [from, to] = [folder(0o700), folder(0o700)]
      await fill(from)
      execFileSync('cp', ['-r', `${from}/.`, to])
      const refused = await read(to).then(
        () => undefined,
        (cause: Error) => cause,
      )
      expect(refused).to.be.instanceOf(ClusterPlaceError)
      expect(refused?.message).to.contain(`The database of DATA_DIR ${to} is that of ${from}, of which it is a copy`)
      expect(await read(from)).to.deep.equal([1])
      const moved = `${from}-moved`
      folders.push(moved)
      renameSync(from, moved)
      expect(await read(moved)).to.deep.equal([1])
    })
  }

  it('is not made anew where DATA_DIR leads to data that is not there', async () => {
    const dataDir = folder(0o700)
    await fill(dataDir)
    const place = realpathSync(join(dataDir, 'postgres'))
    if (!isRoot) {
      // Only root has links of ours; an ordinary user may make one.
      mkdirSync(join(dataDir, 'elsewhere'))
      renameSync(place, join(dataDir, 'elsewhere/data'))
      execFileSync('ln', ['-s', join(dataDir, 'elsewhere/data'), place])
    }
    rmSync(realpathSync(join(dataDir, 'postgres')), { recursive: true })
    const refused = await read(dataDir).then(
      () => undefined,
      (cause: Error) => cause,
    )
    expect(refused).to.be.instanceOf(ClusterPlaceError)
    expect(refused?.message).to.match(/^The database of DATA_DIR \S+ is not there: .* leads to /)
  })
})
