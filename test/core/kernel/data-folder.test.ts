import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { assertWritableFolder } from '../../../core/kernel/process/data-folder.ts'
import { StartError } from '../../../core/kernel/process/process.ts'

describe('Folder of DATA_DIR', () => {
  let parent: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'tessera-test-folder-'))
  })
  afterEach(() => rmSync(parent, { recursive: true }))

  it('is made with the folders above it, empty, and no other user can list it', () => {
    const folder = join(parent, 'above', 'data')
    for (let round = 0; round < 2; round++) assertWritableFolder(folder)
    expect(readdirSync(folder)).to.deep.equal([])
    for (const made of [folder, join(parent, 'above')])
      expect(statSync(made).mode & 0o777).to.equal(process.getuid?.() === 0 ? 0o711 : 0o700)
  })

  it('is refused with a sentence where a file is in its way', () => {
    const file = join(parent, 'file')
    writeFileSync(file, '')
    for (const folder of [file, join(file, 'data')])
      expect(() => assertWritableFolder(folder)).to.throw(
        StartError,
        `DATA_DIR ${folder} cannot be made: a part of the path is a file`,
      )
  })
})
