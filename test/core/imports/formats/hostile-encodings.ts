/** One file: its bytes, how it is sent, and what it says by another reading than that of the platform. */
export interface NastyFile {
  what: string
  bytes: Buffer
  type: string
  query?: Record<string, string>
  /** What each of its rows says: its line, its reference and its text. */
  rows: [line: number, ref: string, text: string][]
  /** Lines whose rows cannot be taken: each has to be told. */
  errorLines?: number[]
  /** The code that it is refused with as a whole, after the rows before were stored. */
  refused?: string
  /** Codes of warnings. */
  warned?: string[]
}

export const csv = 'text/csv'

/** The bytes of a text in an encoding of one byte a character: whatever decodes to that character. */
function inBytes(encoding: string, text: string): Buffer {
  const decoder = new TextDecoder(encoding)
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
  return Buffer.from(
    [...text].map((sign) => {
      const byte = bytes.get(sign)
      if (byte === undefined) throw new Error(`${encoding} has no ${sign}`)
      return byte
    }),
  )
}

export const bytesOf = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))

/** Makes references that no other file has. */
export type Ref = (name: string | number) => string

/** Words of the languages that encodings were made for. */
const words: Readonly<Record<string, string>> = {
  'windows-1250': 'Žluťoučký kůň',
  'windows-1251': 'Съешь ещё булок',
  'windows-1252': 'Été “doré” 12 €',
  'windows-1253': 'Ξεσκεπάζω ψυχή',
  'windows-1254': 'Şık çanta ığdır',
  'windows-1255': 'דג סקרן',
  'windows-1256': 'حقيبة',
  'windows-1257': 'Įlinkdama fechtuotojo špaga',
  'windows-1258': 'Đăâê ơư',
  'windows-874': 'กระเป๋า',
  'iso-8859-2': 'Pchnąć w tę łódź',
  'iso-8859-3': 'Ĥoro ĵaŭdo',
  'iso-8859-4': 'Ģirts ķēde',
  'iso-8859-5': 'Широкая',
  'iso-8859-7': 'Ψυχή',
  'iso-8859-9': 'Şık çanta',
  'iso-8859-10': 'Þæöð',
  'iso-8859-13': 'Špaga ķ',
  'iso-8859-14': 'Ŵŷ Ḃ',
  'iso-8859-15': 'Cœur 12 € Žš',
  'iso-8859-16': 'Țară și ă',
  'koi8-r': 'Широкая',
  'koi8-u': 'Їжак ґ',
  macintosh: 'Été “œuvre” ﬁ',
  'x-mac-cyrillic': 'Широкая',
  ibm866: 'Широкая',
}

/** Encodings that the sender names, by the query or the content type in turns. */
export const named = (ref: Ref): NastyFile[] =>
  Object.entries(words).map(([encoding, text], at) => ({
    what: `${encoding}, as the ${at % 2 === 0 ? 'query' : 'content type'} says`,
    bytes: inBytes(encoding, `ref;text\r\n${ref(1)};${text}\r\n${ref(2)};plain\r\n`),
    type: at % 2 === 0 ? csv : `${csv}; charset=${encoding}`,
    ...(at % 2 === 0 && { query: { encoding } }),
    rows: [
      [2, ref(1), text],
      [3, ref(2), 'plain'],
    ],
  }))

/** Encodings of several bytes a character; the bytes stand as tables of the time list them. */
export const wide = (ref: Ref): NastyFile[] =>
  (
    [
      ['shift_jis', [0x83, 0x4a, 0x83, 0x6f, 0x83, 0x93], 'カバン'],
      ['euc-jp', [0xa5, 0xab, 0xa5, 0xd0, 0xa5, 0xf3], 'カバン'],
      ['gbk', [0xb0, 0xfc, 0xb0, 0xfc], '包包'],
      ['big5', [0xa5, 0x5d], '包'],
      ['euc-kr', [0xb0, 0xa1, 0xb9, 0xe6], '가방'],
      ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x25, 0x2b, 0x1b, 0x28, 0x42], 'カ'],
    ] as const
  ).map(([encoding, bytes, text]) => ({
    what: encoding,
    bytes: bytesOf(`ref,text\n${ref(1)},`, [...bytes], '\n'),
    type: csv,
    query: { encoding },
    rows: [[2, ref(1), text]],
  }))

/** Encodings, delimiters and line ends that are found out. */
export const found = (ref: Ref): NastyFile[] =>
  ['utf-8', 'utf-8 with a mark', 'utf-16le', 'utf-16be with a mark', 'windows-1252'].flatMap((encoding) =>
    (
      [
        [',', '\n'],
        [';', '\r\n'],
        ['\t', '\r'],
        [',', '\r\n'],
      ] as const
    ).map(([delimiter, end]): NastyFile => {
      const text = `A "q"${delimiter} Été €`
      const all =
        ['ref', 'text'].join(delimiter)
        + end
        + [1, 2].map((at) => `${ref(at)}${delimiter}"${text.replaceAll('"', '""')} ${at}"`).join(end)
      const marked = encoding.endsWith('mark') ? `\ufeff${all}` : all
      const utf16 = Buffer.from(marked, 'utf16le')
      const bytes = encoding.startsWith('utf-16le')
        ? utf16
        : encoding.startsWith('utf-16be')
          ? utf16.swap16()
          : encoding.startsWith('utf-8')
            ? Buffer.from(marked)
            : inBytes(encoding, marked)
      return {
        what: `${encoding}, divided by ${JSON.stringify(delimiter)}, lines ended by ${JSON.stringify(end)}`,
        bytes,
        type: csv,
        rows: [
          [2, ref(1), `${text} 1`],
          [3, ref(2), `${text} 2`],
        ],
        ...(encoding === 'windows-1252' && { warned: ['encoding_guessed'] }),
      }
    }),
  )

/** Texts that careless readers change. */
const texts = [
  '007',
  '12345678901234567890',
  '1e5',
  '0.1',
  '1,5',
  'TRUE',
  'NULL',
  'n/a',
  '=1+1',
  '-',
  '+49 30 1234',
  '2026-01-31',
  '31.01.26',
  ' a ',
  'a  b',
  'a\u00a0b',
  'e\u0301',
  '\ufb01',
  '👩‍🚀',
  'a\u2028b',
  'a\u200bb',
  '\u202eabc',
  'a\ufffdb',
  'a\ufeffb',
  '\\n',
  'a\tb',
  '<b>&amp;',
  'Ã©',
  "O'Neil",
  '{{x}}',
  'a\nb',
  'a\r\nb',
  '"',
  '""',
  'x'.repeat(100_000),
]

export const kept = (ref: Ref): NastyFile[] => [
  {
    what: 'texts that careless readers change',
    type: csv,
    bytes: Buffer.from(
      `ref,text\n${texts.map((text, at) => `${ref(at)},"${text.replaceAll('"', '""')}"`).join('\n')}\n`,
    ),
    rows: texts.map((text, at) => [2 + at + texts.slice(0, at).join('').split('\n').length - 1, ref(at), text]),
  },
]
