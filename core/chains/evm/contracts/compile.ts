import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import solc from 'solc'
import { writeAbi, type AbiEntry } from './compile.abi.ts'

/** Contracts that are deployed, with the name their ABI module takes. */
export const contracts = [
  { contract: 'ProductPassports', abi: 'passports' },
  { contract: 'CertificateAnchors', abi: 'anchors' },
  { contract: 'CertificationKeys', abi: 'keys' },
] as const

/**
 * Cancun is what all networks of `networks.ts` of family evm have. Optimized for calls rather than for deployment, and
 * without metadata at the end of the code, so that a comment changes no byte of it.
 */
const settings = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
} as const

/** A contract as it is deployed. Hexadecimal values begin with `0x`. */
export interface Artifact {
  contract: string
  compiler: string
  settings: typeof settings
  abi: AbiEntry[]
  bytecode: string
  deployedBytecode: string
}

interface Output {
  errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[]
  contracts?: Record<string, Record<string, {
    abi: AbiEntry[]
    evm: { bytecode: { object: string }; deployedBytecode: { object: string } }
  }>>
}

/** Compiles one contract. A warning about a file of this folder counts as an error. @throws Error with solc's words */
export function compile(contract: string): Artifact {
  const file = `${contract}.sol`
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(beside(file), 'utf8') } },
    settings: {
      ...settings,
      outputSelection: { [file]: { [contract]: ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: resolve })) as Output
  const compiled = output.contracts?.[file]?.[contract]
  const complaints = output.errors?.filter(({ severity, sourceLocation }) =>
    severity === 'error' || !sourceLocation?.file.includes('/')) ?? []
  if (complaints.length > 0 || compiled === undefined) {
    throw new Error(`${file}: ${complaints.map(({ formattedMessage }) => formattedMessage).join('\n') || 'no output'}`)
  }
  return {
    contract,
    compiler: (solc.version as () => string)(),
    settings,
    abi: compiled.abi,
    bytecode: `0x${compiled.evm.bytecode.object}`,
    deployedBytecode: `0x${compiled.evm.deployedBytecode.object}`,
  }
}

/** The files a contract is published as, by path. */
export function publish(artifact: Artifact, abi: string): { path: string; content: string }[] {
  return [
    { path: beside(`artifacts/${artifact.contract}.json`), content: `${JSON.stringify(artifact, null, 2)}\n` },
    { path: beside(`${abi}.abi.ts`), content: writeAbi(`${abi}Abi`, artifact) },
  ]
}

/** An import of Solidity: a file beside this one, or of a package. */
function resolve(path: string): { contents: string } | { error: string } {
  const file = path.includes('/') ? fileURLToPath(import.meta.resolve(path)) : beside(path)
  try {
    return { contents: readFileSync(file, 'utf8') }
  } catch (cause) {
    return { error: String(cause) }
  }
}

function beside(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { contract, abi } of contracts) {
    for (const { path, content } of publish(compile(contract), abi)) {
      const before = await readFile(path, 'utf8').catch(() => undefined)
      await writeFile(path, content)
      process.stdout.write(`${before === content ? 'same   ' : 'written'} ${path}\n`)
    }
  }
}
