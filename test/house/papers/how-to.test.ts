import { expect } from 'chai'
import { files, imports, readSource } from '../source-files.ts'

/** A line that stands for lines of the file which the page leaves out. */
const omission = '…'

/** An excerpt on a page. The first line of its block is a comment with the path of the file. */
interface Excerpt {
  page: string
  file: string
  text: string
}

const pages = files
  .filter((file) => /^core\/docs\/how-to\/[^/]+\.md$/.test(file))
  .map((page) => ({ page, text: readSource(page) }))

/** Languages of blocks that are code of this repository. A block of another language may be anything. */
const languages = /^```(?:ts|json)\n([^]*?)^```$/gm

const excerpts = pages.flatMap(({ page, text }) =>
  [...text.matchAll(languages)].map(([, block = '']): Excerpt => {
    const [, file = '', rest = ''] = /^\/\/ (\S+)\n([^]*)$/.exec(block) ?? []
    return { page, file, text: rest }
  }),
)

/** What a page says of its example: its names, and the tests that run it. */
const examples = pages.map(({ page, text }) => {
  const [, heading = ''] = /^## Example: (.+)$/m.exec(text) ?? []
  const sentences = text.replaceAll(/\s+/g, ' ').matchAll(/[Tt]he test is "([^"]+)" in `([^`]+)`/g)
  return {
    page,
    names: [...heading.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    tests: [...sentences].map(([, title = '', file = '']) => ({ title, file })),
  }
})

const withoutIndentation = (text: string) =>
  `\n${text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')}\n`

/** Returns whether a source has these lines, without those that are left out and whatever their indentation. */
function hasLines(source: string, excerpt: string): boolean {
  const lines = withoutIndentation(source)
  const parts = withoutIndentation(excerpt).split(`\n${omission}\n`)
  let from = 0
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .every((part) => {
      const at = lines.indexOf(`\n${part}\n`, from)
      from = at + part.length
      return at >= 0
    })
}

/** Lists a test file and the files of tests that it imports: arguments of its calls may stand there. */
const withImports = (file: string) => [
  file,
  ...imports.filter(({ from, to }) => from === file && to.startsWith('test/')).map(({ to }) => to),
]

const isTestFile = (file: string) => /\.(test|long)\.ts$/.test(file)

/** Returns whether a suite runs a file: it is a test file, or one imports it. */
const isRun = (file: string): boolean =>
  isTestFile(file) || imports.some(({ from, to }) => to === file && isTestFile(from))

const hasTitle = (source: string, title: string) => [`'${title}'`, `"${title}"`].some((text) => source.includes(text))

describe('core/docs/how-to', () => {
  it('shows code of the repository word for word, with the path of its file', () => {
    expect(excerpts.length).to.be.above(20)
    const wrong = excerpts.filter(({ file, text }) => !files.includes(file) || !hasLines(readSource(file), text))
    expect(wrong.map(({ page, file, text }) => `${page}: ${file || 'no path'}: ${text.slice(0, 80)}`)).to.deep.equal([])
  })

  it('has one example on each page, with its name and its test', () => {
    const without = examples.filter(
      ({ page, names, tests }) =>
        names.length === 0 || tests.length === 0 || !excerpts.some((excerpt) => excerpt.page === page),
    )
    expect(without.map(({ page }) => page)).to.deep.equal([])
  })

  it('names tests that a suite runs, by their titles', () => {
    const tests = examples.flatMap(({ tests }) => tests)
    const missing = tests.filter(
      ({ title, file }) => !files.includes(file) || !isRun(file) || !hasTitle(readSource(file), title),
    )
    expect(missing).to.deep.equal([])
  })

  it('names examples by names that stand in their code and in their tests', () => {
    const missing = examples.flatMap(({ page, names, tests }) => {
      const code = excerpts.filter((excerpt) => excerpt.page === page).map(({ text }) => text)
      const testFiles = tests.flatMap(({ file }) => withImports(file)).filter((file) => files.includes(file))
      const sources = testFiles.map(readSource)
      const isNamed = (name: string) => [code, sources].every((texts) => texts.some((text) => text.includes(name)))
      return names.filter((name) => !isNamed(name)).map((name) => `${page}: ${name}`)
    })
    expect(missing).to.deep.equal([])
  })

  it('is compared line by line: a changed, a missing and a moved line are noticed', () => {
    const source = 'first\n  second\nthird\n'
    const hold = ['first\nsecond', 'first\n…\nthird', '…\n  third', 'first\n…'].map((text) => hasLines(source, text))
    expect(hold).to.deep.equal([true, true, true, true])
    const differ = ['first\nthird', 'secon', 'third\n…\nfirst', 'first\n…\nfirst'].map((text) => hasLines(source, text))
    expect(differ).to.deep.equal([false, false, false, false])
  })
})
