import { expect } from 'chai'
import ts from 'typescript'
import { readSource, sources } from './source-files.ts'

/** Words that say nothing to a stranger as part of a name; `core/docs/glossary.md` has the plain ones. */
const bannedWords = new Set(
  'most least longest patience whose told asked hung hope eyes ground doing judge judged judgement doubt misfit portion'.split(
    ' ',
  ),
)

/** Those of them that no name in a test has either: a test says `requests` or `expectedIssues`. */
const bannedTestWords = new Set(['told', 'asked'])

/** Names that stand in stored data or in messages between versions, so that they cannot change. */
const exceptions: Record<string, string> = {
  'core/chains/evm/send.ts most': 'member of an intent that a signer of another version reads',
  'core/chains/signer/intents.ts most': 'member of an intent that a signer of another version reads',
  'core/features/certification/did-web/did-web.ts told_at': 'column',
  'core/features/certification/did-web/domain-checks.ts told_at': 'column',
  'core/features/certification/did-web/domain-upkeep.ts told_at': 'column',
  'core/features/certification/rotation/domain-rows.ts told_at': 'column',
  'core/features/dpp/bulk/import.sink.ts hung': 'member of the stored state of a job',
}

const product = sources.filter((name) => !/^test\/|\/migrations\/|\.d\.ts$/.test(name))
const tests = sources.filter((name) => name.startsWith('test/'))

const splitWords = (name: string) => name.split(/(?=[A-Z])|[_\d]+/).map((word) => word.toLowerCase())

/** Every name that a file declares: of a type, a function, a constant, a member, a parameter. */
function listDeclaredNames(file: string): string[] {
  const source = ts.createSourceFile(file, readSource(file), ts.ScriptTarget.Latest, true)
  const names: string[] = []
  const visit = (node: ts.Node) => {
    const { name } = node as ts.NamedDeclaration
    const isDeclared = !ts.isPropertyAccessExpression(node) && !ts.isImportSpecifier(node) && !ts.isMetaProperty(node)
    if (isDeclared && name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) names.push(name.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names
}

/** Lists the declared names that have one of the words, each behind its file. Parses only files that have one at all. */
function listNamesWith(words: ReadonlySet<string>, files: readonly string[]): string[] {
  const anyWord = new RegExp([...words].join('|'), 'i')
  return files
    .filter((file) => anyWord.test(readSource(file)))
    .flatMap((file) =>
      listDeclaredNames(file)
        .filter((name) => splitWords(name).some((word) => words.has(word)))
        .map((name) => `${file} ${name}`),
    )
}

describe('Repository rules: words', () => {
  const found = new Set(listNamesWith(bannedWords, product))
  const foundInTests = listNamesWith(bannedTestWords, tests)

  it('name nothing in the product with a word that the glossary replaces', () => {
    expect([...found].filter((one) => exceptions[one] === undefined)).to.deep.equal([])
  })

  it('name nothing in a test "told" or "asked"', () => {
    expect(foundInTests).to.deep.equal([])
  })

  it('list no exception that is gone', () => {
    expect(Object.keys(exceptions).filter((one) => !found.has(one))).to.deep.equal([])
  })

  it('end the name of every thrown class with Error', () => {
    const wrong = product.flatMap((file) =>
      [...readSource(file).matchAll(/\bclass (\w+) extends (\w*Error)\b/g)]
        .filter(([, name]) => !/Error$/.test(name ?? ''))
        .map(([, name]) => `${file} ${name}`),
    )
    expect(wrong).to.deep.equal([])
  })
})
