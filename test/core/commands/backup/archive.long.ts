import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { expect } from 'chai'
import {
  ArchiveError,
  checkArchive,
  readArchive,
  writeArchive,
  type ArchiveHead,
  type ArchivePart,
} from '../../../../core/commands/backup/archive.ts'
import { removeFolder, createTemporaryFolder } from '../../../support/folders.ts'

const head: ArchiveHead = {
  kind: 'tessera-backup',
  format: 1,
  id: 'one',
  at: '2026-11-23T00:00:00.000Z',
  migrations: [],
  keys: { platform: [], signer: [] },
  months: [],
}
const parts: [ArchivePart, string[]][] = [
  [{ kind: 'table', schema: 'public', name: 'things', columns: ['id', 'name'] }, ['1\tone\n', '2\ttwo\n']],
  [{ kind: 'file', path: 'anvil/state.json' }, ['{}']],
  [{ kind: 'table', schema: 'signer', name: 'empty', columns: ['id'] }, []],
]
const end = { sequences: [{ schema: 'public', name: 'things_id_seq', value: '3' }], tables: 2, rows: 2, files: 1 }

describe('Backup archive', () => {
  const folder = createTemporaryFolder()
  const file = join(folder, 'one.backup')
  let whole: Buffer
  before(async () => {
    await write(file, head, parts, end)
    whole = readFileSync(file)
  })
  after(() => removeFolder(folder))

  /** @param frames whatever stands where a head, parts and an end belong */
  async function write(to: string, first: unknown, list: [unknown, string[]][], last: unknown): Promise<void> {
    const archive = await writeArchive(to)
    await archive.writeFrame(first as ArchiveHead)
    for (const [part, pieces] of list) {
      await archive.writeFrame(part as ArchivePart)
      for (const piece of pieces) await archive.writeContent(Buffer.from(piece))
      await archive.endContent()
    }
    await archive.finish(last as typeof end)
  }

  async function readAll(from: string): Promise<unknown> {
    const archive = await readArchive(from)
    try {
      const found: unknown[] = [archive.head]
      for await (const { part, content } of archive.parts()) {
        const pieces: string[] = []
        for await (const piece of content) pieces.push(piece.toString())
        found.push([part, pieces])
      }
      const { sequences, tables, rows, files } = archive.end()
      return [...found, { sequences, tables, rows, files }]
    } finally {
      archive.close()
    }
  }

  const refusal = (from: string) =>
    checkArchive(from, () => undefined).then(
      () => undefined,
      (cause: unknown) => cause,
    )

  it('is read as it was written', async () => {
    expect(await readAll(file)).to.deep.equal([head, ...parts, end])
    expect((await checkArchive(file, () => undefined)).end).to.deep.include(end)
  })

  /** Refused by its name, or nothing of it is another. @returns whether it was refused */
  async function assertRefusedOrWhole(from: string, what: string): Promise<boolean> {
    const found = await refusal(from)
    if (found === undefined) expect(await readAll(from), what).to.deep.equal([head, ...parts, end])
    else expect(found, what).to.be.instanceOf(ArchiveError)
    return found !== undefined
  }

  it('is refused by its name wherever it was cut, unless nothing but the end of its compression is missing', async () => {
    const cut = join(folder, 'cut.backup')
    let refused = 0
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(cut, whole)
      truncateSync(cut, length)
      if (await assertRefusedOrWhole(cut, `${length} bytes`)) refused++
    }
    expect(whole.length - refused).to.be.at.most(20)
  })

  it('is refused by its name whichever byte was changed, unless it says nothing', async () => {
    const changed = join(folder, 'changed.backup')
    let taken = 0
    for (let at = 0; at < whole.length; at++) {
      for (const bits of [0x01, 0x80, 0xff]) {
        const bytes = Buffer.from(whole)
        bytes[at] = (bytes[at] ?? 0) ^ bits
        writeFileSync(changed, bytes)
        if (!(await assertRefusedOrWhole(changed, `${bits} at ${at}`))) taken++
      }
    }
    // Bytes that only the compression needs, at its head and its end.
    expect(taken).to.be.at.most(3 * 20)
  })

  it('is refused when somebody unpacked it, changed a row and packed it again', async () => {
    const changed = join(folder, 'row.backup')
    const frames = zstdDecompressSync(whole)
    frames.write('9', frames.indexOf('2\ttwo'))
    writeFileSync(changed, zstdCompressSync(frames))
    const refused = await refusal(changed)
    expect(refused).to.be.instanceOf(ArchiveError)
    expect((refused as Error).message).to.contain('is damaged or cut short')
  })

  it('has nothing but heads, parts and ends of ours', async () => {
    const [table, pieces] = [parts[0]?.[0], ['1\tone\n']]
    const bad: Record<string, [unknown, [unknown, string[]][], unknown]> = {
      'no head': [{ kind: 'other' }, [], end],
      'a newer format': [{ ...head, format: 2 }, [], end],
      'a month that is none': [{ ...head, months: ["2026-01-01'; drop table users; --"] }, [], end],
      'a schema of others': [head, [[{ ...table, schema: 'pg_catalog' }, pieces]], { ...end, tables: 1 }],
      'columns that are none': [head, [[{ ...table, columns: 'id' }, pieces]], { ...end, tables: 1 }],
      'a path that is none': [head, [[{ kind: 'file', path: 7 }, pieces]], { ...end, tables: 0 }],
      'a part of another kind': [head, [[{ kind: 'script', path: 'x' }, pieces]], end],
      'a sequence that is none': [
        head,
        parts,
        { ...end, sequences: [{ schema: 'public', name: 'x', value: '1; select' }] },
      ],
      'fewer parts than it says': [head, parts.slice(1), end],
      null: [null, [], end],
    }
    for (const [what, [first, list, last]] of Object.entries(bad)) {
      const other = join(folder, 'bad.backup')
      await write(other, first, list, last)
      expect(await refusal(other), what).to.be.instanceOf(ArchiveError)
      rmSync(other)
    }
  })

  it('says in a sentence where it cannot be', async () => {
    const nowhere = join(folder, 'no/such.backup')
    const message = (work: Promise<unknown>) =>
      work.then(
        () => '',
        (cause: Error) => `${cause.name}: ${cause.message}`,
      )
    expect(await message(writeArchive(nowhere))).to.equal(
      `ArchiveError: ${nowhere} cannot be written: there is no such folder`,
    )
    expect(await message(writeArchive(file))).to.equal(`ArchiveError: ${file} is there already; name another file`)
    expect(await message(readArchive(nowhere))).to.equal(`ArchiveError: There is no file ${nowhere}`)
    expect(await message(readArchive(folder))).to.equal(`ArchiveError: There is no file ${folder}`)
  })
})
