import { expect } from 'chai'
import { files, sources, textOf } from './sources.ts'

const lines = (name: string) => textOf(name).split('\n').length - 1

describe('The house: its files', () => {
  it('the top level is the fixed one', () => {
    const top = [...new Set(files.map((name) => name.split('/')[0]))].sort()
    expect(top).to.deep.equal(['.ci', '.gitignore', 'LICENSE', 'README.md', 'bridge', 'core', 'openapi.json', 'package-lock.json', 'package.json', 'prompts', 'test', 'tools'])
  })

  it('no source file is longer than 400 lines', () => {
    expect(sources.filter((name) => lines(name) > 400)).to.deep.equal([])
  })

  it('nothing is switched off: no `any`, no ignored type error, no skipped or lonely test, no unfinished mark', () => {
    const marks = /: any\b|<any>|\bas any\b|@ts-(ignore|nocheck|expect-error)|\b(it|describe)\.(only|skip)\(|\bxit\(|\b(TODO|FIXME)\b|not implemented/
    const wrong = sources.filter((name) => !name.startsWith('test/house/')).filter((name) => marks.test(textOf(name)))
    expect(wrong).to.deep.equal([])
  })

  it('nothing names a path of one machine or the host of a package registry', () => {
    const machine = new RegExp(['/wo' + 'rk/', 'registry\\.' + 'npmjs', 'deb\\.' + 'debian\\.org', 'pypi\\.' + 'org'].join('|'))
    const wrong = files.filter((name) => /\.(ts|mjs|js|md|json|sol|css|svg|sh)$|^\.ci\//.test(name)).filter((name) => machine.test(textOf(name)))
    expect(wrong).to.deep.equal([])
  })

  it('the lock file records no download address', () => {
    expect(/"resolved":/.test(textOf('package-lock.json'))).to.equal(false)
  })

  it('every dependency has an exact version', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>
    const wrong = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    expect(wrong).to.deep.equal([])
  })
})
