import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { rooms as certificationRooms } from '../../core/features/certification/rooms.ts'
import { rooms as dppRooms } from '../../core/features/dpp/rooms.ts'
import { rooms as importsRooms } from '../../core/features/imports/rooms.ts'
import { rooms as loyaltyRooms } from '../../core/features/loyalty/rooms.ts'
import { files, imports, root } from './source-files.ts'

/** The highest number of files in one folder. */
const maxFiles = 15

/** The areas that have rooms, with the order of their rooms. */
const areas: Record<string, readonly string[]> = {
  certification: certificationRooms,
  dpp: dppRooms,
  imports: importsRooms,
  loyalty: loyaltyRooms,
}

const product = files.filter((name) => /^(core|bridge|tools|prompts)\//.test(name))

/** Folders with more files. Landed migrations never move. */
const exceptions = ['core/database/migrations']

describe('Repository rules: rooms', () => {
  it(`have at most ${maxFiles} files in a folder, those of tests included`, () => {
    const counts = new Map<string, number>()
    for (const name of files.filter((each) => each.includes('/')))
      counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1)
    for (const folder of exceptions) counts.delete(folder)
    expect([...counts].filter(([, count]) => count > maxFiles)).to.deep.equal([])
  })

  for (const [area, rooms] of Object.entries(areas)) {
    const folder = `core/features/${area}/`
    const getRoom = (name: string) => (name.startsWith(folder) ? name.slice(folder.length).split('/').at(0) : undefined)

    it(`keep every file of ${area} in one of its rooms`, () => {
      const outside = product
        .filter((name) => name.startsWith(folder))
        .filter(
          (name) =>
            !rooms.includes(getRoom(name) ?? '')
            && !/^(area|index|problem-codes|rooms)\.ts$/.test(name.slice(folder.length)),
        )
      expect(outside).to.deep.equal([])
      expect(rooms.filter((room) => !existsSync(join(root, folder, room)))).to.deep.equal([])
    })

    const between = imports.filter(({ from, to }) => {
      const [own, other] = [getRoom(from), getRoom(to)]
      return rooms.includes(own ?? '') && other !== undefined && own !== other
    })

    // A type counts as well: a file that needs a type of a later room depends on that room.
    it(`import only earlier rooms of ${area}, also for a type`, () => {
      const wrong = between.filter(({ from, to }) => {
        const position = rooms.indexOf(getRoom(to) ?? '')
        return position < 0 || position > rooms.indexOf(getRoom(from) ?? '')
      })
      expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).to.deep.equal([])
    })

    // A lazy import names the file itself, because the index would load the whole room.
    it(`reach another room of ${area} through its index`, () => {
      const wrong = between.filter(({ to, isLate }) => !isLate && !/^[^/]+\/index\.ts$/.test(to.slice(folder.length)))
      expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).to.deep.equal([])
    })
  }
})
