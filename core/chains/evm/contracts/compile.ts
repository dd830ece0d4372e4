import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import solc from 'solc'
import { keccak256, size } from 'viem'
import { formatAbiModule, type AbiEntry } from './compile.abi.ts'

/** The contracts that are deployed, with the names of their ABI modules. */
export const contracts = [
  { contract: 'ProductPassports', abi: 'passports' },
  { contract: 'LoyaltyPoints', abi: 'points' },
  { contract: 'CertificateAnchors', abi: 'anchors' },
  { contract: 'CertificationKeys', abi: 'keys' },
  { contract: 'PassportHandovers', abi: 'handovers' },
] as const

/**
 * The compiler settings. All networks of family `evm` in `networks.ts` support Cancun. The code is optimized for calls
 * rather than for deployment, and it ends without metadata, so that a comment changes no byte of it.
 */
const settings = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
} as const

/** A compiled contract, as it is deployed. Hexadecimal values begin with `0x`. */
export interface Artifact {
  contract: string
  compiler: string
  settings: typeof settings
  abi: AbiEntry[]
  bytecode: `0x${string}`
  deployedBytecode: string
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[]
  contracts?: Record<
    string,
    Record<
      string,
      {
        abi: AbiEntry[]
        evm: { bytecode: { object: string }; deployedBytecode: { object: string } }
      }
    >
  >
}

/** Compiles a contract. A warning about a file of this folder counts as an error. @throws Error with solc's messages */
export function compileContract(contract: string): Artifact {
  const file = `${contract}.sol`
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(resolvePath(file), 'utf8') } },
    settings: {
      ...settings,
      outputSelection: { [file]: { [contract]: ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: resolveImport })) as CompilerOutput
  const compiled = output.contracts?.[file]?.[contract]
  const complaints =
    output.errors?.filter(({ severity, sourceLocation }) => severity === 'error' || !sourceLocation?.file.includes('/'))
    ?? []
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

/** Returns the files in which a contract is published, with their paths. */
export function formatArtifactFiles(artifact: Artifact, abi: string): { path: string; content: string }[] {
  return [
    { path: resolvePath(`artifacts/${artifact.contract}.json`), content: `${JSON.stringify(artifact, null, 2)}\n` },
    { path: resolvePath(`${abi}.abi.ts`), content: formatAbiModule(`${abi}Abi`, artifact) },
  ]
}

/** Resolves an import of Solidity: a file in this folder, or a file of a package. */
function resolveImport(path: string): { contents: string } | { error: string } {
  const file = path.includes('/') ? fileURLToPath(import.meta.resolve(path)) : resolvePath(path)
  try {
    return { contents: readFileSync(file, 'utf8') }
  } catch (cause) {
    return { error: String(cause) }
  }
}

function resolvePath(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}

/** Prints what `earlierArtifacts` has to say of the creation code that was replaced. */
function printReplacedCode(artifact: string): void {
  const { bytecode } = JSON.parse(artifact) as Pick<Artifact, 'bytecode'>
  process.stdout.write(`replaced, for artifacts.ts: { length: ${size(bytecode)}, hash: '${keccak256(bytecode)}' }\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { contract, abi } of contracts) {
    for (const { path, content } of formatArtifactFiles(compileContract(contract), abi)) {
      const before = await readFile(path, 'utf8').catch(() => undefined)
      await writeFile(path, content)
      process.stdout.write(`${before === content ? 'same   ' : 'written'} ${path}\n`)
      if (before !== undefined && before !== content && path.endsWith('.json')) printReplacedCode(before)
    }
  }
}
