import { expect } from 'chai'
import { filesOnBoth } from '../support/suite/lanes.ts'
import { slowFiles } from '../support/suite/slow-files.ts'
import { files, sources, readSource } from './source-files.ts'

const countLines = (name: string) => readSource(name).split('\n').length - 1

describe('Repository rules: files', () => {
  it('have a fixed top level', () => {
    const top = [...new Set(files.map((name) => name.split('/')[0]))].sort()
    expect(top).to.deep.equal([
      '.ci',
      '.gitignore',
      'LICENSE',
      'README.md',
      'bridge',
      'core',
      'openapi.json',
      'package-lock.json',
      'package.json',
      'prompts',
      'test',
      'tools',
    ])
  })

  it('have at most 400 lines', () => {
    expect(sources.filter((name) => countLines(name) > 400)).to.deep.equal([])
  })

  it('exist where the suite names them', () => {
    expect([...slowFiles, ...filesOnBoth].filter((name) => !files.includes(name))).to.deep.equal([])
  })

  it('have no `any`, no ignored type error, no skipped or exclusive test, no TODO', () => {
    const marks =
      /: any\b|<any>|\bas any\b|@ts-(ignore|nocheck|expect-error)|\b(it|describe)\.(only|skip)\(|\bxit\(|\b(TODO|FIXME)\b|not implemented/
    const wrong = sources
      .filter((name) => !name.startsWith('test/house/'))
      .filter((name) => marks.test(readSource(name)))
    expect(wrong).to.deep.equal([])
  })

  it('name no path of one machine and no host of a package registry', () => {
    const machine = new RegExp(
      ['/wo' + 'rk/', 'registry\\.' + 'npmjs', 'deb\\.' + 'debian\\.org', 'pypi\\.' + 'org'].join('|'),
    )
    const wrong = files
      .filter((name) => /\.(ts|mjs|js|md|json|sol|css|svg|sh)$|^\.ci\//.test(name))
      .filter((name) => machine.test(readSource(name)))
    expect(wrong).to.deep.equal([])
  })

  it('have no download address in the lock file', () => {
    expect(/"resolved":/.test(readSource('package-lock.json'))).to.equal(false)
  })

  it('have an exact version of every dependency', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readSource('package.json')) as Record<
      string,
      Record<string, string>
    >
    const wrong = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    )
    expect(wrong).to.deep.equal([])
  })
})
