import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { readSource, sources } from '../source-files.ts'

const root = join(import.meta.dirname, '../../..')

/** The documents of the repository, each with its text outside of blocks of code. */
const papers = ['README.md', ...globSync('core/docs/**/*.md', { cwd: root })].map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8').replaceAll(/^```[^]*?^```/gm, ''),
}))

/** Folders that a document may leave out of a path, because the whole page is about them. */
const leftOutFolders = ['', 'core', 'core/chains', 'core/features', 'core/features/dpp', 'core/features/imports']
/** Beginnings of paths in code quotes that are files of the repository, wherever the document counts from. */
const startsWithFolder = /^(core|bridge|tools|test|acts|engine|evm|signer|passports)\//

const doesExist = (path: string) =>
  leftOutFolders.some((folder) =>
    ['', '.ts', '.test.ts', '.long.ts'].some(
      (end) => globSync(join(folder, `${path}${end}`), { cwd: root }).length > 0,
    ),
  )

describe('README and core/docs', () => {
  it('name only files and folders that exist', () => {
    const named = papers.flatMap(({ file, text }) =>
      [...text.matchAll(/`([\w.@-]+(?:\/[\w.*@-]+)+\/?)`/g)].map(([, path = '']) => ({ file, path })),
    )
    const ofRepository = named.filter(({ path }) => startsWithFolder.test(path))
    expect(ofRepository.length).to.be.above(100)
    expect(ofRepository.filter(({ path }) => !path.startsWith('tools/call') && !doesExist(path))).to.deep.equal([])
  })

  it('name, on the pages that say how something is added, only identifiers that the sources have', () => {
    const identifiers = new Set(sources.flatMap((name) => readSource(name).match(/[A-Za-z_]\w+/g) ?? []))
    const named = papers
      .filter(({ file }) => file.includes('/how-to/'))
      .flatMap(({ file, text }) =>
        [...text.matchAll(/`([^`\n]+)`/g)]
          .flatMap(([, quote = '']) => quote.match(/\b[A-Za-z]+[a-z][A-Z]\w+/g) ?? [])
          .map((name) => ({ file, name })),
      )
    expect(named.length).to.be.above(20)
    expect(named.filter(({ name }) => !identifiers.has(name))).to.deep.equal([])
  })

  it('link only to documents that exist', () => {
    const links = papers.flatMap(({ file, text }) =>
      [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => ({ file, link })),
    )
    expect(links.length).to.be.above(20)
    expect(links.filter(({ file, link }) => !existsSync(join(root, dirname(file), link)))).to.deep.equal([])
  })
})
