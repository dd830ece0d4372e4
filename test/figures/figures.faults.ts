import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface Spread {
  p50: number
  max: number
}
interface Kills {
  command: string
  seed: number
  kills: number
  points: {
    flow: string
    point: string
    process: string
    kills: number
    recoverySeconds: Spread
    tokensExpected: number
    tokensFound: number
    duplicates: number
    lost: number
  }[]
}
interface Outages {
  command: string
  outages: {
    outage: string
    times: number
    secondsAway: Spread
    secondsUntilJobsDone: Spread
    secondsUntilChainRead: Spread
    tokensAtTheEnd: number
    duplicates: number
    lost: number
  }[]
}
interface MoreKills {
  command: string
  seed: number
  kills: number
  processes: {
    process: string
    points: string[]
    kills: number
    goesOnIn: string
    recoverySeconds: Spread
    tokensExpected: number
    tokensFound: number
    duplicates: number
    lost: number
  }[]
}
interface Races {
  command: string
  racers: number
  tokensExpected: number
  tokensFound: number
  races: {
    race: string
    rounds: number
    won: number
    wonAtEachApi: number[]
    others: Record<string, number>
    seconds: Spread
  }[]
}
interface Batch {
  command: string
  rows: number
  seconds: number
  transactions: number
  tokensFound: number
  duplicates: number
  lost: number
  events: number
}
interface CertifyBatch {
  command: string
  processors: number
  passports: number
  seconds: number
  credentialBytes: { ld: number; jwt: number }
  signatures: number
  signaturesPerSecond: number
  bareEd25519PerSecond: number
  anchors: number
  gas: number
  residentPeakMB: { api: number; worker: number }
}
interface CertifyKills {
  command: string
  kills: number
  passportsEach: number
  places: { name: string; point: string; process: string; kills: number; recoverySeconds: Spread }[]
}
interface CertifyOutages {
  command: string
  passportsEach: number
  outages: {
    outage: string
    times: number
    secondsAway: Spread
    secondsUntilJobDone: Spread
    secondsUntilProven: Spread
    roots: number
    rootsTwice: number
    unproven: number
    wrong: number
  }[]
}

/** The writers of figures about kills, outages, races and whole batches, by the name of their file. */
export const faultWriters: Record<string, (text: string) => string> = {
  kills: (text) => {
    const { command, seed, kills, points } = JSON.parse(text) as Kills
    return `### ${kills} kills with -9 at named points, seed ${seed}\n\n${formatSource(command)}\n\n${formatTable(
      ['Flow', 'Point', 'Process', 'Kills', 'Recovery p50 / max', 'Tokens accepted', 'On chain', 'Twice', 'Lost'],
      points.map((row) => [
        row.flow,
        row.point,
        row.process,
        row.kills,
        `${row.recoverySeconds.p50} / ${row.recoverySeconds.max} s`,
        formatNumber(row.tokensExpected),
        formatNumber(row.tokensFound),
        row.duplicates,
        row.lost,
      ]),
    )}`
  },
  outages: (text) => {
    const { command, outages } = JSON.parse(text) as Outages
    return `### Parts taken away while passports are minted\n\n${formatSource(command)}\n\n${formatTable(
      [
        'When',
        'Times',
        'Away p50 / max',
        'Jobs done after p50 / max',
        'Whole chain found right after p50 / max',
        'Tokens on chain at the end',
        'Twice',
        'Lost',
      ],
      outages.map((row) => [
        row.outage,
        row.times,
        `${row.secondsAway.p50} / ${row.secondsAway.max} s`,
        `${row.secondsUntilJobsDone.p50} / ${row.secondsUntilJobsDone.max} s`,
        `${row.secondsUntilChainRead.p50} / ${row.secondsUntilChainRead.max} s`,
        formatNumber(row.tokensAtTheEnd),
        row.duplicates,
        row.lost,
      ]),
    )}`
  },
  'more-kills': (text) => {
    const { command, seed, kills, processes } = JSON.parse(text) as MoreKills
    return `### ${kills} kills in two APIs and two workers, of which the other goes on, seed ${seed}\n\n${formatSource(command)}\n\n${formatTable(
      [
        'Process',
        'Points',
        'Kills',
        'Goes on in',
        'Recovery p50 / max',
        'Tokens accepted',
        'On chain',
        'Twice',
        'Lost',
      ],
      processes.map((row) => [
        row.process,
        row.points.join('; '),
        row.kills,
        row.goesOnIn,
        `${row.recoverySeconds.p50} / ${row.recoverySeconds.max} s`,
        formatNumber(row.tokensExpected),
        formatNumber(row.tokensFound),
        row.duplicates,
        row.lost,
      ]),
    )}`
  },
  races: (text) => {
    const { command, racers, races, tokensExpected, tokensFound } = JSON.parse(text) as Races
    return `### ${racers} requests of one moment to two APIs\n\n${formatSource(command)} Tokens that were won: ${formatNumber(tokensExpected)}; on the chain, once each: ${formatNumber(tokensFound)}.\n\n${formatTable(
      [
        'What',
        'Rounds',
        'Rounds with exactly one winner',
        'Won at either API',
        'The others were told',
        'A round p50 / max',
      ],
      races.map((row) => [
        row.race,
        row.rounds,
        row.won,
        row.wonAtEachApi.join(' / '),
        Object.entries(row.others)
          .map(([word, times]) => `${word} ${formatNumber(times)}`)
          .join(', '),
        `${row.seconds.p50} / ${row.seconds.max} s`,
      ]),
    )}`
  },
  batch: (text) => {
    const { command, ...row } = JSON.parse(text) as Batch
    return `### One batch of ${formatNumber(row.rows)} passports\n\n${formatSource(command)} The chain was read by plain \`eth_getLogs\`.\n\n${formatTable(
      ['Rows', 'Seconds', 'Transactions', 'Tokens on chain', 'Twice', 'Lost', 'Events'],
      [
        [
          formatNumber(row.rows),
          row.seconds,
          row.transactions,
          formatNumber(row.tokensFound),
          row.duplicates,
          row.lost,
          formatNumber(row.events),
        ],
      ],
    )}`
  },
  'certify-batch': (text) => {
    const { command, processors, residentPeakMB, credentialBytes, ...row } = JSON.parse(text) as CertifyBatch
    return `### ${formatNumber(row.passports)} passports published and certified in both forms by one job, on ${processors} processors\n\n${formatSource(command)} Every passport
has one version, under one root that the chain tells of once; receipts are confirmed by the contract.\n\n${formatTable(
      ['What', 'Result'],
      [
        [
          'From request to completed',
          `${row.seconds} s, ${formatNumber(Math.round(row.passports / row.seconds))} passports a second`,
        ],
        [
          'Bytes of a credential, embedded proof / JWT',
          `${formatNumber(credentialBytes.ld)} / ${formatNumber(credentialBytes.jwt)}`,
        ],
        [
          'Signatures',
          `${formatNumber(row.signatures)}, ${formatNumber(row.signaturesPerSecond)} a second of the whole job; bare Ed25519 beside it ${formatNumber(row.bareEd25519PerSecond)} a second`,
        ],
        ['Roots, gas of the transaction', `${row.anchors}, ${formatNumber(row.gas)}`],
        ['Resident peak, API / worker', `${residentPeakMB.api} / ${residentPeakMB.worker} MB`],
      ],
    )}`
  },
  'certify-kills': (text) => {
    const { command, kills, passportsEach, places } = JSON.parse(text) as CertifyKills
    return `### ${kills} kills with -9 while ${formatNumber(passportsEach)} passports are published and certified\n\n${formatSource(command)} After each: one root, told once
by the chain, every passport certified, none without or with two versions, each event once.\n\n${formatTable(
      ['When', 'Point', 'Process', 'Kills', 'Recovery p50 / max'],
      places.map((row) => [
        row.name,
        row.point,
        row.process,
        row.kills,
        `${row.recoverySeconds.p50} / ${row.recoverySeconds.max} s`,
      ]),
    )}`
  },
  'certify-outages': (text) => {
    const { command, passportsEach, outages } = JSON.parse(text) as CertifyOutages
    return `### Parts taken away while ${formatNumber(passportsEach)} passports are published and certified\n\n${formatSource(command)} After each, the batch of then and
all before it were held against the chain: versions, events, receipts by the contract itself.\n\n${formatTable(
      [
        'When',
        'Times',
        'Away p50 / max',
        'Job done after p50 / max',
        'All receipts right after p50 / max',
        'Roots on chain at the end',
        'Twice',
        'Receipts not confirmed',
        'Passports wrong',
      ],
      outages.map((row) => [
        row.outage,
        row.times,
        `${row.secondsAway.p50} / ${row.secondsAway.max} s`,
        `${row.secondsUntilJobDone.p50} / ${row.secondsUntilJobDone.max} s`,
        `${row.secondsUntilProven.p50} / ${row.secondsUntilProven.max} s`,
        row.roots,
        row.rootsTwice,
        row.unproven,
        row.wrong,
      ]),
    )}`
  },
}
