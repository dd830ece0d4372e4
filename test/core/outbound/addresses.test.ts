import { expect } from 'chai'
import { isPublicAddress } from '../../../core/outbound/addresses.ts'
import { parseAllowedHosts, resolveTarget } from '../../../core/outbound/target.ts'
import { OutboundError } from '../../../core/kernel/ports/outbound.ts'

const closed: Record<string, readonly string[]> = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00:ec2::254'],
  'link-local and metadata': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', '168.63.129.16'],
  shared: ['100.64.0.1', '100.100.100.200', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'unspecified and broadcast': ['0.0.0.0', '0.1.2.3', '255.255.255.255', '::'],
  reserved: [
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '192.88.99.1',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '5f00::1',
    'fec0::1',
    '4000::1',
  ],
  'IPv4 in IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::8.8.8.8',
    '64:ff9b::127.0.0.1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '::ffff:0:127.0.0.1',
  ],
  'no address': ['', 'localhost', '127.1', '0x7f.1', '2130706433', '1.2.3.4.5', '1.2.3.999'],
}
const open = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
]

/** How an address is judged when every name leads to it. */
async function verdict(url: string, options: { leadsTo?: string[]; allow?: string[] } = {}): Promise<string> {
  const { leadsTo = ['8.8.8.8'], allow = [] } = options
  const guard = { allowedHosts: parseAllowedHosts(allow), lookUp: async () => ({ addresses: leadsTo }) }
  return resolveTarget(url, guard).then(
    ({ addresses }) => addresses.join(),
    (cause: unknown) => {
      if (cause instanceof OutboundError) return cause.reason
      throw cause
    },
  )
}

describe('core/outbound: allowed addresses', () => {
  for (const [kind, addresses] of Object.entries(closed)) {
    it(`are not public: ${kind}`, () => {
      expect(addresses.filter(isPublicAddress)).to.deep.equal([])
    })
  }

  it('are public when they are global unicast', () => {
    expect(open.filter((address) => !isPublicAddress(address))).to.deep.equal([])
  })

  it('are refused in whatever way a URL spells them', async () => {
    const spellings = [
      'https://127.0.0.1/',
      'https://127.1/',
      'https://0x7f.1/',
      'https://2130706433/',
      'https://017700000001/',
      'https://0177.0.0.1/',
      'https://127.0.0.1./',
      'https://１２７.0.0.1/',
      'https://%31%32%37.0.0.1/',
      'https://0/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:7f00:1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://[0:0:0:0:0:0:0:1]/',
      'https://[::]/',
      'https://169.254.169.254/latest/meta-data/',
      'https://0xa9fea9fe/',
    ]
    const verdicts = await Promise.all(spellings.map(async (url) => [url, await verdict(url)]))
    expect(verdicts.filter(([, found]) => found !== 'blocked_address')).to.deep.equal([])
  })

  it('are refused when one of several that a name has is not public', async () => {
    expect(await verdict('https://a.example/', { leadsTo: ['8.8.8.8', '10.0.0.1'] })).to.equal('blocked_address')
    expect(await verdict('https://a.example/', { leadsTo: ['8.8.8.8', '::1'] })).to.equal('blocked_address')
    expect(await verdict('https://a.example/', { leadsTo: ['8.8.8.8', '1.1.1.1'] })).to.equal('8.8.8.8,1.1.1.1')
    expect(await verdict('https://a.example/', { leadsTo: [] })).to.equal('dns_failed')
  })

  it('are refused without https, with credentials, and where they are no web address', async () => {
    const wrong = [
      'http://a.example/',
      'ftp://a.example/',
      'file:///etc/passwd',
      'gopher://a.example/',
      'data:text/plain,x',
      'javascript:1',
      'ws://a.example/',
      'https://user@a.example/',
      'https://user:word@a.example/',
      'https://:word@a.example/',
      '',
      'a.example',
      '//a.example/',
    ]
    const verdicts = await Promise.all(wrong.map(async (url) => [url, await verdict(url)]))
    expect(verdicts.filter(([, found]) => found !== 'blocked_address')).to.deep.equal([])
  })

  it('may be private, and by http, for a host that the settings allow, at its port, and for no other', async () => {
    const local = { leadsTo: ['127.0.0.1'] }
    const allowed = async (url: string, ...allow: string[]) =>
      (await verdict(url, { ...local, allow })) !== 'blocked_address'
    expect(await allowed('https://a.example/', 'a.example')).to.equal(true)
    expect(await allowed('http://a.example/', 'A.Example')).to.equal(true)
    for (const url of [
      'http://a.example:8080/',
      'https://a.example:8443/',
      'https://a.example:80/',
      'http://a.example:443/',
    ]) {
      expect(await allowed(url, 'a.example'), url).to.equal(false)
    }
    expect(await allowed('https://a.example/', 'a.example:8443')).to.equal(false)
    expect(await allowed('http://a.example:8080/', 'a.example:8080')).to.equal(true)
    expect(await allowed('http://a.example/', 'a.example:80')).to.equal(true)
    expect(await allowed('https://a.example/', 'a.example:443')).to.equal(true)
    expect(await allowed('https://[::1]/', '::1')).to.equal(true)
    expect(await allowed('https://[::1]:8080/', '::1')).to.equal(false)
    expect(await allowed('https://[::1]:8080/', '[::1]:8080')).to.equal(true)
    expect(await allowed('http://127.1/', '127.0.0.1')).to.equal(true)

    expect(await allowed('http://a.example:8081/', 'a.example:8080')).to.equal(false)
    expect(await allowed('https://a.example/', 'a.example:80')).to.equal(false)
    expect(await allowed('https://b.a.example/', 'a.example')).to.equal(false)
    expect(await allowed('https://127.0.0.1/', 'a.example')).to.equal(false)
    expect(await allowed('https://[::1]:8080/', '[::1]:8081')).to.equal(false)
    expect(await allowed('https://a.example/', '', '*', '.example', 'a.example/', 'https://a.example')).to.equal(false)
    expect(await verdict('https://user:word@a.example/', { ...local, allow: ['a.example'] })).to.equal(
      'blocked_address',
    )
  })
})
