/** Equivalent mutants of the domain: changes that no caller can observe, with the reason. A mutation run reports entries that no longer apply. */

export interface EquivalentMutants {
  readonly file: string;
  /** First changed line, without indentation. */
  readonly line: string;
  /** Source texts and their replacements. */
  readonly changes: readonly (readonly [original: string, replacement: string])[];
  readonly why: string;
}

const ONLY_SPEED = 'The cache holds what would be computed again: the result is the same with and without it.';
const REFUSED_LATER = 'The checks of length and content after it reject the same input.';
const NOTHING_RETURNED = 'The function returns undefined without the line too.';
const IGNORED_TEXT = 'Text after the zone is never read as digits.';
const AT_LEAST_ONE = 'A parsed list has at least one member.';

export const EQUIVALENT_MUTANTS: readonly EquivalentMutants[] = [
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (cached !== undefined) return cached;',
    changes: [['cached !== undefined', 'false']],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (cachedBits.size >= MAX_CACHED_ITEMS) {',
    changes: [
      ['cachedBits.size >= MAX_CACHED_ITEMS', 'true'],
      ['cachedBits.size >= MAX_CACHED_ITEMS', 'false'],
      ['cachedBits.size >= MAX_CACHED_ITEMS', 'cachedBits.size > MAX_CACHED_ITEMS'],
      ['cachedBits.size >= MAX_CACHED_ITEMS', 'cachedBits.size < MAX_CACHED_ITEMS'],
    ],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'cachedBits.set(item, bits);',
    changes: [['cachedBits.set(item, bits);', ';']],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (bloom === cover) return true;',
    changes: [['bloom === cover', 'false']],
    why: 'Every bit of a bloom is set in the bloom itself; the line is a shortcut.',
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'for (let at = 2; at < NIBBLES + 2; at++) {',
    changes: [['at < NIBBLES + 2', 'at <= NIBBLES + 2']],
    why: 'Past the end neither text has a digit, and both read alike.',
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (nibble !== 0 && (nibble & ~nibbleAt(cover, at)) !== 0) return false;',
    changes: [['nibble !== 0', 'true']],
    why: 'A digit of 0 has no bit that the other could lack; the condition is a shortcut.',
  },
  {
    file: 'src/domain/index-rules/block-checks.ts',
    line: 'if (log.blockNumber !== before.blockNumber) return log.blockNumber > before.blockNumber;',
    changes: [['log.blockNumber > before.blockNumber', 'log.blockNumber >= before.blockNumber']],
    why: 'Only different numbers are compared.',
  },
  {
    file: 'src/domain/rating/amount.ts',
    line: "return { status: 'ok', cents: cents > MAX_EVENT_CENTS ? MAX_EVENT_CENTS : Number(cents) };",
    changes: [['cents > MAX_EVENT_CENTS', 'cents >= MAX_EVENT_CENTS']],
    why: 'Both comparisons give the limit at the limit.',
  },
  {
    file: 'src/domain/rating/daily-rating.ts',
    line: 'if (firstEventDay === undefined) return { revenueBeforeCents: 0, days: [] };',
    changes: [['firstEventDay === undefined', 'false']],
    why: 'Without a first day no day is at or after it, and every sum is 0.',
  },
  {
    file: 'src/domain/rating/daily-totals.ts',
    line: 'return sum > SAFE ? SAFE : Number(sum);',
    changes: [['sum > SAFE', 'sum >= SAFE']],
    why: 'Both comparisons give the limit at the limit.',
  },
  {
    file: 'src/domain/rating/dormancy.ts',
    line: 'if (beyond <= 0) return { idleDays, lostHundredths: 0 };',
    changes: [['beyond <= 0', 'beyond < 0']],
    why: 'The curve deducts nothing for 0 days.',
  },
  {
    file: 'src/domain/rating/event.ts',
    line: 'const isBeforeBlock = event.timestamp < event.blockTimestamp;',
    changes: [['event.timestamp < event.blockTimestamp', 'event.timestamp <= event.blockTimestamp']],
    why: 'Equal times fall on the same day.',
  },
  {
    file: 'src/domain/rating/rate-table.ts',
    line: 'return newest >= 0 && days[newest]! >= day - RATE_WINDOW_DAYS ? rates[newest] : undefined;',
    changes: [['newest >= 0', 'true']],
    why: 'Before the first index there is no day, and undefined is not within the window.',
  },
  {
    file: 'src/domain/rating/scale.ts',
    line: 'return firstQualifyingDay === undefined || lastQualifyingDay === undefined',
    changes: [
      [
        'firstQualifyingDay === undefined || lastQualifyingDay === undefined',
        'firstQualifyingDay === undefined && lastQualifyingDay === undefined',
      ],
      ['firstQualifyingDay === undefined', 'false'],
      ['lastQualifyingDay === undefined', 'false'],
    ],
    why: 'The same event sets the first and the last qualifying day: both are defined or neither is.',
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'if (tag === undefined || (tag & NUMBER) === NUMBER || depthLeft === 0) throw new DerInvalid();',
    changes: [['tag === undefined', 'false']],
    why: REFUSED_LATER,
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'if (first === undefined) throw new DerInvalid();',
    changes: [
      ['first === undefined', 'false'],
      ['throw new DerInvalid();', ';'],
    ],
    why: REFUSED_LATER,
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'if (octets === 0 || octets > MAX_LENGTH_OCTETS || contentStart > bytes.length) throw new DerInvalid();',
    changes: [
      ['octets === 0 || octets > MAX_LENGTH_OCTETS || contentStart > bytes.length', 'false'],
      [
        'octets === 0 || octets > MAX_LENGTH_OCTETS || contentStart > bytes.length',
        '(octets === 0 || octets > MAX_LENGTH_OCTETS) && contentStart > bytes.length',
      ],
      ['octets === 0 || octets > MAX_LENGTH_OCTETS', 'false'],
      ['octets === 0 || octets > MAX_LENGTH_OCTETS', 'octets === 0 && octets > MAX_LENGTH_OCTETS'],
      ['octets === 0', 'false'],
      ['octets > MAX_LENGTH_OCTETS', 'false'],
      ['contentStart > bytes.length', 'false'],
      ['contentStart > bytes.length', 'contentStart >= bytes.length'],
      ['throw new DerInvalid();', ';'],
    ],
    why: REFUSED_LATER,
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'if (second === undefined) return true;',
    changes: [['second === undefined', 'false']],
    why: 'After a single octet there is no second one that could be redundant.',
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'return content.length === 1 ? unusedBits === 0 : (content.at(-1)! & ((1 << unusedBits) - 1)) === 0;',
    changes: [['content.length === 1', 'false']],
    why: 'The count is then read as the last octet, and every count from 1 to 7 has a bit among its lowest count bits.',
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'return content.every((octet, index) => octet !== 0x80 || (index > 0 && content[index - 1]! >= 0x80));',
    changes: [
      ['index > 0', 'true'],
      ['index > 0', 'index >= 0'],
    ],
    why: 'Before the first octet there is undefined, which is not 0x80 or more.',
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'for (let at = 0; at < content.length; at += octets) {',
    changes: [['at < content.length', 'at <= content.length']],
    why: 'Past the end there is a character of no octets, which reads as 0 and is allowed.',
  },
  {
    file: 'src/domain/evidence/certificate/certificate-time.ts',
    line: 'const UTC_TIME = /^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/;',
    changes: [
      [
        '/^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/',
        '/^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z/',
      ],
    ],
    why: IGNORED_TEXT,
  },
  {
    file: 'src/domain/evidence/certificate/certificate-time.ts',
    line: 'const GENERALIZED_TIME = /^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/;',
    changes: [
      [
        '/^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/',
        '/^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z/',
      ],
    ],
    why: IGNORED_TEXT,
  },
  {
    file: 'src/domain/evidence/certificate/certificate-file.ts',
    line: "const blocks = Array.from(text.matchAll(PEM_BLOCK), ([, lines = '']) => lines.replaceAll(/[\\r\\n]/g, ''));",
    changes: [["''", '"Stryker was here!"']],
    why: 'The group takes part in every match.',
  },
  {
    file: 'src/domain/evidence/certificate/extensions.ts',
    line: 'for (let bit = 0; bit < 8; bit++) if ((octet & (0x80 >> bit)) !== 0) set.add(8 * index + bit);',
    changes: [['bit < 8', 'bit <= 8']],
    why: '0x80 has no ninth bit.',
  },
  {
    file: 'src/domain/evidence/certificate/extensions.ts',
    line: 'return { keyId, certificate: issuer && serial && { issuer, serial } };',
    changes: [['issuer && serial', 'issuer || serial']],
    why: 'The preceding line leaves both or neither defined.',
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'basicConstraints?.isCa === false && keyUsage?.size === 1 && keyUsage.has(KEY_USAGE.digitalSignature),',
    changes: [
      ['basicConstraints?.isCa', 'basicConstraints.isCa'],
      ['keyUsage?.size', 'keyUsage.size'],
    ],
    why: 'The preceding row rejects a leaf without them.',
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'if (access === undefined || others.length > 0) return false;',
    changes: [['access === undefined', 'false']],
    why: AT_LEAST_ONE,
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'if (point === undefined || others.length > 0 || point.hasReasons || point.hasIssuer) return false;',
    changes: [['point === undefined', 'false']],
    why: AT_LEAST_ONE,
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'const [name, ...moreNames] = point.fullName ?? [];',
    changes: [['[]', '["Stryker was here"]']],
    why: 'A string is no name and has no form.',
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: "issuer?.form === 'directory' &&",
    changes: [['issuer?.form', 'issuer.form']],
    why: AT_LEAST_ONE,
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: "return method === OID.caIssuers && location.form === 'uri' && location.text === uri;",
    changes: [["location.form === 'uri'", 'true']],
    why: 'No other form has a text.',
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'return start !== undefined && end !== undefined && start <= nowSeconds && nowSeconds <= end;',
    changes: [
      ['start !== undefined && end !== undefined', 'true'],
      ['start !== undefined && end !== undefined', 'start !== undefined || end !== undefined'],
      ['start !== undefined', 'true'],
      ['end !== undefined', 'true'],
    ],
    why: 'No comparison with undefined holds, and a preceding row rejects an unreadable time.',
  },
  {
    file: 'src/domain/evidence/certificate/trust-material.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/evidence/certificate/trust-material.ts',
    line: "if (certificate === undefined || extensions === undefined) return 'must be the strict DER of one certificate';",
    changes: [['certificate === undefined', 'false']],
    why: 'Without a certificate there are no extensions either.',
  },
  {
    file: 'src/domain/rating/rating-state-codec.ts',
    line: "const MEMBERS = ['model', ...COUNTS, ...MOMENTS, 'buckets'];",
    changes: [
      ["'model'", '""'],
      ["'buckets'", '""'],
    ],
    why: 'Only the number of members is used.',
  },
  {
    file: 'src/domain/rating/rating-state.ts',
    line: "if (addEvent(draft, event, rates, 'pass') === 'pending') hasPending = true;",
    changes: [["'pass'", '""']],
    why: 'Every value other than the stopping one passes.',
  },
  {
    file: 'src/domain/rating/rating-state.ts',
    line: "if (!isSound) return 'added';",
    changes: [["'added'", '""']],
    why: 'Every value other than pending counts as added.',
  },
  {
    file: 'src/domain/rating/rating-state.ts',
    line: "return isPending ? 'pending' : 'added';",
    changes: [["'added'", '""']],
    why: 'Every value other than pending counts as added.',
  },
  {
    file: 'src/domain/rating/rating.ts',
    line: "summary: summarize({ kind: 'unavailable' }, state, false, undefined),",
    changes: [['false', 'true']],
    why: 'The summary of an unavailable rating ignores the argument.',
  },
  {
    file: 'src/domain/rating/rating.ts',
    line: 'const isDegraded = state.lastUnconvertedDay !== undefined && state.lastUnconvertedDay > today - WINDOW_DAYS;',
    changes: [['state.lastUnconvertedDay !== undefined', 'true']],
    why: 'No comparison with undefined holds.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'if (firstQualifyingDay === undefined || firstQualifyingDay > firstPrior) return NO_BASIS;',
    changes: [['firstQualifyingDay === undefined', 'false']],
    why: 'Without a qualifying day there is nothing to compare.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'const best = prior.reduce((a, b) => (a > b ? a : b));',
    changes: [['a > b', 'a >= b']],
    why: 'Either of two equal amounts is the largest.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'evenPercent: percentOf(sum(recent.map((amount) => (amount < best ? amount : best))), priorSum),',
    changes: [['amount < best', 'amount <= best']],
    why: 'Either of two equal amounts is the smaller.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'return percent > TREND.maxPercent ? TREND.maxPercent : Number(percent);',
    changes: [['percent > TREND.maxPercent', 'percent >= TREND.maxPercent']],
    why: 'Both comparisons give the limit at the limit.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'return amounts.reduce((a, b) => a + b, 0n);',
    changes: [['a + b', 'a - b']],
    why: 'Only whether a sum is 0 and the quotient of two sums are used.',
  },
  {
    file: 'src/domain/rating/trust-factor.ts',
    line: 'weights[level]! += bucket.levels[level].weight + TRUST.activityWeight * activity[level];',
    changes: [
      [
        'weights[level]! += bucket.levels[level].weight + TRUST.activityWeight * activity[level]',
        'weights[level]! -= bucket.levels[level].weight + TRUST.activityWeight * activity[level]',
      ],
    ],
    why: 'A weighted mean does not change with the sign of all its weights.',
  },
  {
    file: 'src/domain/evidence/chip-signature.ts',
    line: 'if (bytes.length < MIN_SIGNATURE_BYTES || bytes.length > MAX_SIGNATURE_BYTES) return undefined;',
    changes: [
      ['bytes.length < MIN_SIGNATURE_BYTES || bytes.length > MAX_SIGNATURE_BYTES', 'false'],
      [
        'bytes.length < MIN_SIGNATURE_BYTES || bytes.length > MAX_SIGNATURE_BYTES',
        'bytes.length < MIN_SIGNATURE_BYTES && bytes.length > MAX_SIGNATURE_BYTES',
      ],
      ['bytes.length < MIN_SIGNATURE_BYTES', 'false'],
      ['bytes.length > MAX_SIGNATURE_BYTES', 'false'],
    ],
    why: 'Two numbers below the order never have fewer or more bytes.',
  },
  {
    file: 'src/domain/evidence/chip-signature.ts',
    line: 'if (tag !== DER_INTEGER || length === 0 || length > SCALAR_BYTES + 1 || content.length < length) return undefined;',
    changes: [['length > SCALAR_BYTES + 1', 'false']],
    why: 'A longer number is never below the order.',
  },
  {
    file: 'src/domain/evidence/chip-signature.ts',
    line: 'const isPadded = length > 1 && first === 0 && second < 0x80;',
    changes: [
      ['length > 1', 'true'],
      ['length > 1', 'length >= 1'],
    ],
    why: 'Only the single octet 0 is concerned, which is below 1 and rejected.',
  },
  {
    file: 'src/domain/evidence/evidence-document.ts',
    line: 'const BASE64URL = /^[A-Za-z0-9_-]*$/;',
    changes: [
      ['/^[A-Za-z0-9_-]*$/', '/[A-Za-z0-9_-]*$/'],
      ['/^[A-Za-z0-9_-]*$/', '/^[A-Za-z0-9_-]*/'],
    ],
    why: 'Text with other letters does not encode to itself.',
  },
  {
    file: 'src/domain/evidence/evidence-document.ts',
    line: 'const chainId: TextForm = (text) => text.length <= 78 && decimal(text) && BigInt(text) <= MAX_UINT256;',
    changes: [['text.length <= 78', 'true']],
    why: 'A longer number is larger; the length check only saves parsing it.',
  },
  {
    file: 'src/domain/evidence/evidence-document.ts',
    line: 'const document = value === undefined ? undefined : parseExactObject(value, DOCUMENT);',
    changes: [['value === undefined', 'false']],
    why: 'A missing value has no members.',
  },
  {
    file: 'src/domain/evidence/exact-object.ts',
    line: 'const read = member === undefined ? undefined : readMember(member, form);',
    changes: [['member === undefined', 'false']],
    why: 'A missing member is no string and has no members.',
  },
  {
    file: 'src/domain/evidence/evidence-building.ts',
    line: "const isObject = typeof value === 'object' && value !== null && Object.keys(value).length === members.length;",
    changes: [["typeof value === 'object'", 'true']],
    why: 'No other value has members of these names.',
  },
  {
    file: 'src/domain/evidence/p256.ts',
    line: 'return x < PRIME && y < PRIME && (y * y - (x * x * x + A * x + B)) % PRIME === 0n;',
    changes: [['y < PRIME', 'y <= PRIME']],
    why: 'No point of the curve has y = 0.',
  },
  {
    file: 'src/domain/machine/availability.ts',
    line: "return available.state === 'present' && available.value;",
    changes: [["available.state === 'present'", 'true']],
    why: 'A result that is not present has no value.',
  },
  {
    file: 'src/domain/machine/active-machine.ts',
    line: 'if (machine.lastEventAt > (newest.get(machine.id)?.lastEventAt ?? -1)) newest.set(machine.id, machine);',
    changes: [
      [
        'machine.lastEventAt > (newest.get(machine.id)?.lastEventAt ?? -1)',
        'machine.lastEventAt >= (newest.get(machine.id)?.lastEventAt ?? -1)',
      ],
    ],
    why: 'Two entries of equal time are the same.',
  },
  {
    file: 'src/domain/machine/active-machine.ts',
    line: 'return b.lastEventAt - a.lastEventAt || (a.id < b.id ? -1 : 1);',
    changes: [['a.id < b.id', 'a.id <= b.id']],
    why: 'No id occurs twice.',
  },
  {
    file: 'src/domain/read-result.ts',
    line: "return result.state === 'present' ? result.value : undefined;",
    changes: [["result.state === 'present'", 'true']],
    why: 'A result that is not present has no value.',
  },
  {
    file: 'src/domain/identifiers/base58.ts',
    line: 'const digits = toHex(toNumber(text.slice(zeros)));',
    changes: [['text.slice(zeros)', 'text']],
    why: 'Leading zeros do not change a number.',
  },
  {
    file: 'src/domain/identifiers/base58.ts',
    line: 'for (let at = 0; at < digits.length; at += DIGITS_AT_ONCE) {',
    changes: [['at < digits.length', 'at <= digits.length']],
    why: 'Past the end there are no digits, which multiply by 1 and add 0.',
  },
  {
    file: 'src/domain/identifiers/base58.ts',
    line: 'number = number * (part.length === DIGITS_AT_ONCE ? BASE_AT_ONCE : 58n ** BigInt(part.length)) + BigInt(value);',
    changes: [['part.length === DIGITS_AT_ONCE', 'false']],
    why: 'The constant equals that power.',
  },
  {
    file: 'src/domain/identifiers/base58.ts',
    line: 'const DIGITS_PER_BYTE = Math.log(256) / Math.log(58);',
    changes: [['Math.log(256) / Math.log(58)', 'Math.log(256) * Math.log(58)']],
    why: 'Text that is too long is rejected by its byte count; the bound only saves decoding it.',
  },
  {
    file: 'src/domain/metrics/latency-histogram.ts',
    line: 'while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;',
    changes: [
      ['bucket < BOUNDS.length', 'true'],
      ['bucket < BOUNDS.length', 'bucket <= BOUNDS.length'],
    ],
    why: 'No number exceeds an undefined bound.',
  },
  {
    file: 'src/domain/machine/legacy-machine.ts',
    line: "const id = parseMachineId(item instanceof JsonNumber ? item.text : typeof item === 'string' ? item : '');",
    changes: [
      ["typeof item === 'string'", 'true'],
      ["''", '"Stryker was here!"'],
    ],
    why: 'No other value parses as an id.',
  },
  {
    file: 'src/domain/machine/legacy-machine.ts',
    line: 'return [...ids].sort((a, b) => (a < b ? -1 : 1));',
    changes: [['a < b', 'a <= b']],
    why: 'No id occurs twice.',
  },
  {
    file: 'src/domain/machine/legacy-machine.ts',
    line: "return operator.state === 'present' && operator.value === claimant ? 'held' : 'foreign';",
    changes: [["operator.state === 'present'", 'true']],
    why: 'A result that is not present has no value.',
  },
  {
    file: 'src/domain/json/json-values.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/json/untrusted-json.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/index-rules/index-freshness.ts',
    line: 'return ageSeconds !== undefined && ageSeconds <= MAX_UNSEEN_INTERVALS * pollIntervalSeconds;',
    changes: [['ageSeconds !== undefined', 'true']],
    why: 'An undefined age is not below a limit.',
  },
  {
    file: 'src/domain/evidence/verify-status.ts',
    line: "if (record.expiresAt !== undefined && record.expiresAt <= nowSeconds) return 'expired';",
    changes: [['record.expiresAt !== undefined', 'true']],
    why: 'An undefined expiry is not before now.',
  },
  {
    file: 'src/domain/json/strict-json.ts',
    line: 'if (!(error instanceof Stop)) throw error;',
    changes: [['!(error instanceof Stop)', 'false']],
    why: 'The scanner throws nothing else.',
  },
  {
    file: 'src/domain/json/strict-json.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/json/strict-json.ts',
    line: "if (this.#text[this.#at] === '\"') {",
    changes: [
      ["this.#text[this.#at] === '\"'", 'false'],
      ["'\"'", '""'],
      ['{\n      this.#at++;\n      return value; // no lone surrogate without an escape: UTF-8 has none\n    }', '{}'],
    ],
    why: 'A shortcut: the code after it reads text without an escape alike.',
  },
  {
    file: 'src/domain/signatures/native-curves.ts',
    line: '} catch {',
    changes: [['{\n      return undefined;\n    }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/signatures/portable-curves.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/evidence/stored-evidence.ts',
    line: "const matching = steps.requireMatch(steps.requireChallenge(timed, { state: 'stored', challenge }), rules);",
    changes: [["'stored'", '""']],
    why: 'Only whether the challenge is gone is used.',
  },
  {
    file: 'src/domain/metrics/call-counter.ts',
    line: "const [method = '', outcome = ''] = key.split(' ');",
    changes: [["''", '"Stryker was here!"']],
    why: 'Every key has both parts.',
  },
  {
    file: 'src/domain/rating/utc-day.ts',
    line: 'if (!/^\\d{4}-\\d{2}-\\d{2}$/.test(text)) return undefined;',
    changes: [
      ['!/^\\d{4}-\\d{2}-\\d{2}$/.test(text)', 'false'],
      ['/^\\d{4}-\\d{2}-\\d{2}$/', '/\\d{4}-\\d{2}-\\d{2}$/'],
      ['/^\\d{4}-\\d{2}-\\d{2}$/', '/^\\d{4}-\\d{2}-\\d{2}/'],
    ],
    why: 'Text that is no such day does not format to itself.',
  },
  {
    file: 'src/domain/rating/rating-state-days.ts',
    line: 'const changedBefore = newest?.day === day && days.length === 0 ? newest.changed : [];',
    changes: [
      ['days.length === 0', 'true'],
      ['[]', '["Stryker was here"]'],
    ],
    why: 'Only the first day can equal the previous newest day, and a string is no bucket.',
  },
  {
    file: 'src/domain/signatures/account-keys.ts',
    line: 'return secret.length === SECRET_BYTES && secp256k1.utils.isValidSecretKey(secret);',
    changes: [['secret.length === SECRET_BYTES', 'true']],
    why: 'The library checks the length too.',
  },
  {
    file: 'src/domain/signatures/keystore.ts',
    line: "if (file?.['version'] !== 3 || crypto === undefined || ciphertext === undefined || mac?.length !== DERIVED_BYTES) {",
    changes: [['crypto === undefined', 'false']],
    why: 'Without it the ciphertext is undefined too.',
  },
  {
    file: 'src/domain/signatures/keystore.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/signatures/keystore.ts',
    line: "return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;",
    changes: [["typeof value === 'object' && value !== null && !Array.isArray(value)", 'true']],
    why: 'No other value has members of these names.',
  },
];
