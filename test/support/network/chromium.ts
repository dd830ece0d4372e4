import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'
import { findProgram } from '../../../core/embedded/tied-process.ts'

/** The mark in the title of every suite that needs a browser. */
export const browserMark = '[browser]'

const programNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const runFile = promisify(execFile)

/** Finds the browser of this machine. If there is none and the user is root, it installs the distribution's package. */
export async function findChromium(say: (line: string) => void): Promise<string | undefined> {
  const found = findProgram(...programNames)
  if (found !== undefined || process.getuid?.() !== 0 || !findProgram('apt-get')) return found
  say('Installing the package chromium (apt-get)')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    // A single package source that is down makes the whole update fail; what matters is whether the package can be
    // installed.
    await runFile('apt-get', ['update', '-qq'], { env }).catch((cause: Error) => say(cause.message))
    await runFile('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      env,
      maxBuffer: 2 ** 26,
    })
  } catch (cause) {
    say(`chromium cannot be installed: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  return findProgram(...programNames)
}

/** Defines a suite of browser tests. Without a browser the suite is skipped and reported as such. */
export function describeInBrowser(title: string, body: (this: Mocha.Suite) => void): void {
  const defineSuite = process.env['TEST_CHROMIUM'] ? describe : describe.skip
  defineSuite(`${browserMark} ${title}`, body)
}

/** @param args further arguments of its command line */
export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env['TEST_CHROMIUM']
  if (!executablePath) throw new Error('No Chromium: start the tests with npm test')
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  })
}
