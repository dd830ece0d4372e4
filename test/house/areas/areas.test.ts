import { expect } from 'chai'
import { areas, registry } from '../../../core/app/registry.ts'
import { problemCodes } from '../../../core/kernel/problem-codes.ts'
import { files, readSource, sources } from '../source-files.ts'

/** Files that know no area: what an area contributes reaches them through the registry. */
const shared = sources.filter((file) =>
  /^core\/(kernel|queue|http|database|meters)\/|^core\/worker\.ts$|^tools\//.test(file),
)
const isExample = (file: string) => /^core\/http\/openapi\/examples\//.test(file)
const isMigration = (file: string) => /^core\/database\/migrations\//.test(file)

const listQuotedWords = (file: string) => [...readSource(file).matchAll(/'([\w-]+)'/g)].map(([, word = '']) => word)

/** Lists the members that files add to an interface of `core/kernel/words.ts`. */
const listAugmentations = (name: string) =>
  sources
    .filter((file) => file.startsWith('core/'))
    .flatMap((file) => [...readSource(file).matchAll(new RegExp(`^  interface ${name} \\{\\n((?:    .*\\n)*)`, 'gm'))])
    .flatMap(([, members = '']) => [...members.matchAll(/^ {4}(\w+):/gm)].map(([, word = '']) => word))

describe('Repository rules: areas', () => {
  it('are the folders of core/features', () => {
    const folders = files.flatMap((file) => /^core\/features\/([\w-]+)\/area\.ts$/.exec(file)?.[1] ?? [])
    expect(areas.map(({ name }) => name).sort()).to.deep.equal(folders.sort())
  })

  it('keep their codes, job types, subjects and toolsets to themselves', () => {
    const { words, toolsets } = registry
    const own = new Set<string>([
      ...Object.keys(words.problemCodes),
      // `delete` is an action of permissions and a method of HTTP besides.
      ...words.jobTypes.filter((type) => type !== 'delete'),
      ...words.eventSubjects.filter((subject) => subject !== 'application'),
      ...toolsets.map(({ name }) => name),
    ])
    // An operation of any area can be about an application, so the document knows the word.
    const wrong = shared
      .filter((file) => !isExample(file) && !isMigration(file))
      .flatMap((file) =>
        listQuotedWords(file)
          .filter((word) => own.has(word))
          .map((word) => `${file} ${word}`),
      )
    expect(wrong).to.deep.equal([])
  })

  it('leave to the kernel only the codes that the kernel, http or the queue answer themselves', () => {
    const platform = Object.keys(problemCodes).filter((code) => !Object.hasOwn(registry.words.problemCodes, code))
    const answered = new Set(
      shared
        .filter((file) => !isExample(file) && file !== 'core/kernel/problem-codes.ts' && !file.startsWith('tools/'))
        .flatMap(listQuotedWords),
    )
    expect(platform.filter((code) => !answered.has(code))).to.deep.equal([])
  })

  it('declare to the compiler the same words as in their values', () => {
    const { words } = registry
    expect(listAugmentations('JobTypes').sort()).to.deep.equal([...words.jobTypes].sort())
    expect(listAugmentations('EventSubjects').sort()).to.deep.equal([...words.eventSubjects].sort())
    expect(listAugmentations('Resources').sort()).to.deep.equal(words.permissions.map(([name]) => name).sort())
  })
})
