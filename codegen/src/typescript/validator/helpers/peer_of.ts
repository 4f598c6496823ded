/**
 * The facts about an agent that its client remembers: the budget of attempts, whether the agent sends heartbeats, the contracts that some
 * of its instances do not have, and those that it asked for.
 */
function peerOf()«: any» {
  const { performance }«: any» = globalThis;
  /** The calls, and the attempts after their first ones, of each of the last ten seconds. */
  const seconds«: any[]» = Array.from({ length: 10 }, () => ({ second: -1, calls: 0, extra: 0 }));
  const now = () => {
    const second = Math.floor(performance.now() / 1000);
    const counts = seconds[second % 10];
    if (counts.second !== second) Object.assign(counts, { second, calls: 0, extra: 0 });
    return counts;
  };
  const recent = () => {
    const { second } = now();
    return seconds.filter((counts) => counts.second > second - 10);
  };
  const sum = (name«: string») => recent().reduce((all, counts) => all + counts[name], 0);
  let [announced, isMixed] = [0, false];
  /** The ends of the ten seconds in which requests with a contract go first to the instances that have it. */
  const preferred«: any» = new Map();
  const renew = (hash«: string») => preferred.set(hash, performance.now() + 10_000);
  /** The contracts that the agent asked for, each with that of an instance, and those of them that were not sent since. */
  const [asked, wanted]«: any[]» = [new Set(), new Set()];
  return {
    called: () => void now().calls++,
    /** Takes a further attempt: one for five calls, and ten in each second. An agent that fails must not get a multiple of its load. */
    take: () => {
      const isAllowed = sum("extra") < Math.floor(sum("calls") / 5) + 100;
      if (isAllowed) now().extra++;
      return isAllowed;
    },
    /** Gives back an attempt that did not reach the agent. */
    giveBack: () => {
      const counts = recent().find(({ extra }) => extra > 0);
      if (counts) counts.extra--;
    },
    /** Where a request with a contract goes first: `ours` or `any`, which is one request every ten seconds. */
    first: (hash«: string») => {
      const end = preferred.get(hash);
      if (end === undefined || performance.now() < end) return end && "ours";
      renew(hash);
      return "any";
    },
    prefer: (hash«: string», isOwn«: boolean») => void (isOwn ? renew(hash) : preferred.delete(hash)),
    responded: (features«?: string») => {
      const isAnnounced = features?.split(" ").includes("heartbeat");
      [announced, isMixed] = isAnnounced ? [announced + 1, isMixed] : [0, true];
    },
    /**
     * Notes that an instance with another contract asks for one: both are given by their hashes. One that has sent more pairs than any
     * agent has contracts gets no more.
     */
    asks: (hash«: string», other«: string») => {
      const pair = `${hash} ${other}`;
      if (asked.size >= 1024 || asked.has(pair) || !/^[0-9a-f]{64}$/.test(other)) return;
      asked.add(pair);
      wanted.add(hash);
    },
    wants: (hash«: string») => wanted.has(hash),
    sends: (hash«: string») => void wanted.delete(hash),
    /** Notes that the request with a contract was not sent, so that the next one has it. */
    didNotSend: (hash«: string») => void wanted.add(hash),
    /** Whether silence means that a request is lost. During an upgrade, instances with and without heartbeats answer in turns. */
    sendsHeartbeats: () => announced >= (isMixed ? 16 : 1),
  };
}
