"""What errors say of services: sizes, rates, tools, access, time limits and the network. Pure; see ``indications``."""

from harness.systems.diagnosis.reference.error_names import Indication, named, status

# fmt: off
OUTPUT: tuple[Indication, ...] = (
    "maxbuffer exceeded", "maxbuffer length exceeded", "output too large", "response too large",
    "result too large", "output truncated", "response truncated", "result truncated", "file size exceeded",
    "maxcontentlength", "tool_output_too_large", "too_large", "limitoverrunerror",
    "message larger than max", "content too large",
    ("too", r"\b(?:output|response|result|stdout|content|file content)s? (?:was|is|were|are) too (?:large|"
            r"long|big)\b"),
    ("truncated", r"\b(?:output|response|result|stdout|content)s? (?:was|is|has been|were) truncated\b"),
    ("truncated", r"\btruncated (?:due to|because of|to fit|after|at|to)\b[^\n]{0,30}(?:\b(?:size|length|"
                  r"limit|maximum|bytes|characters|lines|tokens)\b|\d (?:kb|mb|kib|mib)\b)"),
    ("longer than", r"\b(?:output|response|result|content|line|string) (?:is )?longer than \d"),
    ("larger than", r"\b(?:output|response|result|content|message|file|body) (?:is )?larger than\b"),
    ("greater than", r"\bsize \(?\d+\)? is greater than\b"),
    ("maximum", r"\b(?:exceed(?:s|ed)?|over) (?:the )?maximum (?:allowed )?(?:output|response|token|file|"
                r"content|size|length)"),
    ("exceed", r"\b(?:output|response|result|stdout|content)\b[^\n]{0,60}\bexceed(?:s|ed)"
               r"\b[^\n]{0,60}\b(?:bytes|characters|tokens|size|limit|length|buffer|maximum|kb|mb|kib|mib)\b"),
    named("LimitOverrun|LineTooLong|PayloadTooBig|HeadersOverflow|ResponseExceededMaxSize|ContentTooLong|"
          "TooLongFrame|TooLongHttpContent|DataBufferLimit|ResponseTooLarge|OutputTooLarge|PayloadTooLarge|MaxBuffer"),
    "enobufs", "err_string_too_long", "token too long", "header overflow", "max payload size exceeded",
    "max_allowed_packet", "message too big", "chunk too big", "string or blob too big", "data rate exceeded",
    "response clipped", "output clipped", "log limit", "output limit exceeded", "limit on max bytes to buffer",
    "maximum log length", "maximum log size",
    "maximum buffer size", "too many bytes", "bsonobjecttoolarge", "bsonobj size",
    ("too", r"\b(?:output|response|result|stdout|content|body|message|file|reply|payload|page|document|blob|diff|"
            r"chunk|line|log)s?(?: size| length)?:? (?:is |was |are |were )?(?:far |much )?too (?:large|long|big)\b"
            r"(?! a (?:name|path))"),
    ("truncated", r"\b(?:output|response|result|stdout|content|log|data)s?\b[^\n]{0,80}\btruncated\b"),
    ("longer than", r"\b(?:longer|larger|bigger|greater) than (?:the )?(?:max|limit|allowed|maximum|buffer)"),
    ("size", r"\b(?:response|output|content|result|body|message|payload|file) size\b[^\n]{0,60}\b(?:over|above|"
             r"exceed\w*|reached)\b"),
    ("size", r"\bmax(?:imum)?(?: allowed)? (?:response|output|content|result|body|file|message|log|file) (?:size|"
             r"length)\b[^\n]{0,30}\b(?:reached|exceeded)\b"),
    ("exceed", r"\b(?:output|response|result|stdout|stderr|content|log|diff|body|headers?|frame)\b[^\n]{0,60}"
               r"\bexceed(?:s|ed|ing)?\b[^\n]{0,60}(?:\b(?:bytes?|characters|chars|tokens|size|limit|length|buffer|"
               r"maximum|lines|kb|mb|kib|mib)\b|max_bytes|\d (?:kb|mb))"),
    ("over", r"\bcontent size\b[^\n]{0,200}\bover limit\b"),
    ("over size", r"\bover size limit\b"),
    ("too much", r"\btoo much (?:data|output|text|content)\b"),
    ("", r"\b\d[\d,.]* ?(?:lines?|bytes|characters|chars|tokens|kb|mb|kib|mib) (?:were |was |of output )?(?:truncated|"
         r"omitted|clipped|hidden|elided|skipped|not shown)\b|\b(?:truncated|omitted|clipped) \d[\d,.]* (?:lines|bytes|"
         r"characters|chars|tokens)\b"),
    ("showing", r"\bshowing (?:only )?(?:the )?(?:first|last|lines) \d"),
    ("limit", r"\b(?:output|response|result|content|stdout|buffer|log)(?: size| length| buffer)? "
              r"limit\b[^\n]{0,40}\b(?:"
              r"exceeded|reached|hit)\b"),
    ("cut", r"\b(?:output|response|result|content)\b[^\n]{0,60}\b(?:cut off|cut short|clipped|shortened)\b"),
)

RATE: tuple[Indication, ...] = (
    "too many requests", "toomanyrequests", "rate_limit_exceeded", "rate_limit_error",
    "exceeded your current quota", "throttlingexception", "request was throttled", "pull rate limit",
    "secondary rate limit", "rate exceeded", "throttling", "requestlimitexceeded", "limiting requests",
    "usage limit reached",
    ("per ", r"\b(?:exceed(?:s|ed)?|reached|limit of|over)\b[^\n]{0,60}\b(?:requests?|tokens|calls|queries) "
             r"per (?:second|minute|hour|day)\b"),
    ("retry", r"\bretry[- ]after:? \d"),
    ("429", r"\b(?:http(?:/[\d.]+)?|status(?: ?code)?|code|error|response)\W{0,3}(?:is |was |code )"
            r"?429(?![\w.])"),
    ("rate", r"\brate[ _-]?limit(?:s|ing)?\b[^\n]{0,20}\b(?:exceeded|reached|hit)\b"),
    ("rate", r"\b(?:exceeded|hit|reached)\b[^\n]{0,40}\brate[ _-]?limit\b"),
    ("rate", r"\b(?:are|been|being|is|was|request|requests) rate[ -]?limited\b|^(?:\w+: )?rate[ -]?limited\b|"
             r"\brate[ -]?limited\s*$"),
    ("quota", r"\b(?:api|requests?|usage|daily|monthly|minute|pull)\b[^\n]{0,20} "
              r"quota\b[^\n]{0,20}\bexceeded\b"),
    ("resource", r"\bresource_?exhausted\b(?![^\0]{0,200}(?:larger than|memory|disk))"),
    ("quota", r"\bquota exceeded for\b[^\n]{0,60}\b(?:requests?|quer(?:y|ies)|calls|metric)\b"),
    named("RateLimit(?:ed|Exceeded)?|TooManyRequests|Throttl(?:ing|ed)|ProvisionedThroughputExceeded|"
          "RequestLimitExceeded|SlowDown|FloodWait|RetryAfter|RequestNotPermitted|ResourceExhausted(?!.{0,90}larger)"),
    status("429"), "e429", "rate_limited", "ratelimited", "ratelimit", "userratelimitexceeded", "slowdown",
    "abuse detection", "flood control", "too many concurrent requests", "retryafter", "request rate",
    ("429", r"\b429\b[^\n]{0,20}\b(?:client error|too many|error responses?)|\btoo many 429\b|\bfailed: 429\b"),
    ("too many", r"\btoo many (?:\w+ )?(?:requests|calls|queries|attempts|api|certificates|tokens)\b"),
    ("limit", r"\b(?:rate|request|call|query|queries|usage|throughput|throttl\w+|api)s?(?: per \w+)? limit(?:s|er)?"
              r"\b[^\n]{0,40}\b(?:exceeded|reached|hit|over)\b"),
    ("limit", r"\b(?:exceed(?:s|ed)?|hit|reached|over|triggered)\b[^\n]{0,60}\b(?:rate|request|call|query|usage)[ _-]"
              r"?limits?\b"),
    ("limit", r"\blimited to \d+[^\n]{0,20}\b(?:calls|requests|queries)\b|\bhad to rate[ -]limit\b"),
    ("requests", r"\b(?:max(?:imum)?|exceeded) (?:number of )?(?:\d+ )?requests (?:exceeded|reached|per)\b"),
    ("throughput", r"\bthroughput\b[^\n]{0,60}\bexceeded\b"),
    ("slow down", r"\bslow down\b"),
    ("throttled", r"\bthrottled\b(?= *[:.,(]|\s*$| by)"),
    ("quota", r"\bquota (?:was )?exceeded\b[^\n]{0,60}\b(?:requests?|quer(?:y|ies)|calls|metric|per)\b|"
              r"\bexceeded\b[^\n]{0,40}\bquota\b[^\n]{0,40}\b(?:requests?|quer(?:y|ies)|calls|per|plan|billing)\b"),
    ("429", r"\b(?:(?:received|got|with|returned|returns) (?:an? )?|(?:http|status)\W{0,3})429\b(?! (?:files|"
            r"lines|items|bytes))"),
    ("quota", r"\b(?:request|requests|api|call|usage|daily|hourly|token)s? quota\b"),
    ("rate limiting", r"\brate[ -]limiting (?:requests|you|this)\b"),
    ("sent too many", r"\bsent too many\b"),
)

TOOL: tuple[Indication, ...] = (
    "tool not found", "unknown tool", "no such tool", "tool does not exist", "unavailable tool",
    "is not a valid tool", "no tool named", "no tool called", "unknown function", "only available actions",
    "only available tools", "is not a registered tool", "tool is not available",
    ("tool", r"\btool ['\"`]?[\w./:-]+['\"`]? (?:is |was )?(?:currently )?(?:not (?:found|available|allowed|"
             r"enabled|registered|known)|disabled|does not exist)\b"),
    ("allow", r"\bnot (?:in|on) (?:the )?(?:tool )?allow-?list\b"),
    named("ToolNotFound|NoSuchTool|UnknownTool|ToolNotAvailable|InvalidTool|ToolUnavailable"),
    "tool_not_found", "-32601", "unregistered tool", "unsupported tool", "tool not allowed", "tool not available",
    "not in request.tools", "allowed tools", "available tools:", "tool not registered", "tool not enabled",
    ("tool", r"\b(?:unknown|unrecognized|unregistered|unsupported|nonexistent|no such|undefined|disabled|invalid|"
             r"unavailable) (?:tool|function)(?: name| call)?\b(?! (?:input|arg|param|result|output|call arg))"),
    ("tool", r"\btool(?: name| with name)? ['\"`]?[\w./:-]+['\"`]? (?:is |was |has been |are )?(?:currently )?"
             r"(?:(?:not|n't) (?:found|available|allowed|enabled|registered|known|supported|permitted|exist|"
             r"recognized|whitelisted)|n't available|disabled|isn't|isn't available|doesn't exist|unavailable|"
             r"blocked)\b"),
    ("tool", r"\btool ['\"`]?[\w./:-]+['\"`]? (?:isn't|doesn't|does not)\b"),
    ("tool", r"\btool that (?:does not|doesn't) exist\b"),
    ("tool", r"\b(?:could not|couldn't|cannot|can't) find (?:a |the |any )?tool\b"),
    ("tool", r"\bno (?:tools?|handler)\b[^\n]{0,30}\b(?:registered|found|with name|called|named|for tool|available)\b"),
    ("tools", r"\b(?:not|n't) (?:in|on|one of|among) (?:the )?(?:list of )?(?:allowed|available|enabled|registered|"
              r"permitted) tools\b"),
    ("function", r"^(?:error: )?function [\w.-]+ (?:is |was )?not (?:found|registered|available)\b"),
    ("whitelisted", r"\bnot (?:whitelisted|allowlisted)\b"),
    ("tool", r"\btool ['\"`]?[\w./:-]+['\"`]? (?:is|was) (?:unknown|undefined|missing|not one)\b"),
    ("tool", r"\b(?:can't|cannot|could not|couldn't|unable to|failed to) (?:find|locate|resolve|call) (?:a |the |"
             r"any )?tool"
             r"\b"),
)

PERMISSION: tuple[Indication, ...] = (
    "permission denied", "permissionerror", "operation not permitted", "access is denied", "access denied",
    "eacces", "eperm", "erofs", "read-only file system", "are you root", "accessdenied", "accessdeniedexception",
    "unauthorized", "authentication failed", "invalid credentials", "could not read username", "path not allowed",
    "not authorized", "path is not allowed", "dubious ownership", "requested access to the resource is denied",
    "sandbox violation", "403 forbidden", "host key verification failed", "authentication required",
    ("root", r"\b(?:must be (?:run as )?root|(?:requires?|needs?) (?:root|superuser|administrator) "
             r"(?:privilege|access|permission)s?)\b"),
    ("forbidden", r"\bforbidden\b(?=\W*(?:$|\n|:|\())|^forbidden\b|\berror: forbidden\b|"
                  r"\b403\b[^\n]{0,20}\bforbidden\b"),
    ("insufficient", r"\binsufficient (?:permission|privilege|access|scope)s?\b"),
    ("outside", r"\boutside (?:of )?(?:the )?(?:sandbox|allowed|workspace|tools_fs_root|project)\b"),
    ("permission", r"\b(?:do(?:es)? not|don't|doesn't) have (?:the )?(?:required |necessary )?permissions?\b"),
    named("AccessDenied|PermissionDenied|Authentication|Authorization|Unauthorized(?:Access|Operation)?|Forbidden|"
          "AuthenticationFailed|AuthorizationFailed|InvalidClientTokenId|ExpiredToken(?:Exception)?|NotAuthorized|"
          "InvalidAccessKeyId|SignatureDoesNotMatch|Security|UnrecognizedClient|SMTPAuthentication|NotCapable|"
          "PSSecurity|InsufficientPermission|InsufficientPrivilege|Permission|InvalidCredentials"),
    status("401|403|407"), "authorizationfailed", "err_access_denied", "e403", "e401", "noauth", "noperm", "wrongpass",
    "not in the sudoers", "permission_denied", "insufficient_scope", "bad credentials", "incorrect api key",
    "invalid api key",
    "invalid_api_key", "authentication_error", "invalid x-api-key", "eneedauth",
    "requires elevation", "must be superuser", "running scripts is disabled", "not accessible by integration",
    "pg_hba.conf",
    "login failed", "authentication failure", "too many authentication failures", "readonly database",
    "access is forbidden", "permission_error", "haven't granted", "not have authorization", "readonly filesystem",
    ("sudo:", r"\bsudo: (?:a password is required|a terminal is required|no tty present|sorry|\d+ incorrect)"),
    ("root", r"\b(?:run|running|executed|be|do|unless you are|you are not|must be|you're not|not) (?:this )?(?:as )?"
             r"(?:the )?(?:root|superuser|administrator)\b|\bonly root (?:can|may)\b|\bmust be superuser\b|\bas "
             r"root\b"),
    ("privilege", r"\b(?:superuser|root|administrator|admin|elevated|administrative) privileges?\b"),
    ("denied", r"\b(?:access|permission|permissions|authorization|privilege)\b[^\n]{0,100}\bdenied\b|"
               r"\b(?:command|request|operation|write|read|user|connection) (?:was |is )?denied (?:to|by|for|access)\b|"
               r"^\w*: ?denied\b|\bavc: +denied\b"),
    ("denied", r"^denied: "),
    ("not allowed", r"\b(?:you|user)\b[^\n]{0,30}\b(?:is|are) not allowed to (?:execute|use|run|access|perform)\b"),
    ("access", r"\baccess to\b[^\n]{0,120}\b(?:denied|not allowed|restricted|forbidden|prohibited|blocked)\b|"
               r"\b(?:do(?:es)? not|don't|doesn't|no) have access\b|\brequires (?:\w+ )?access to\b|"
               r"\b(?:write|read|network) access\b[^\n]{0,60}\b(?:not allowed|denied|blocked)\b"),
    ("permission", r"\b(?:no|lacks?|lacking|missing|without|requested|have) (?:the |required |sufficient )?"
                   r"permissions?\b"),
    ("blocked by", r"\bblocked by (?:the )?(?:sandbox|policy|security)\b"),
    ("sandbox", r"\b(?:escapes?|leaves?|violat\w+|refused by|denied by|beyond) (?:the )?sandbox\b"),
    ("within", r"\bnot (?:with)?in(?:side)? (?:the )?(?:allowed|permitted|tools_fs_root|sandbox|workspace)\b"),
    ("must be owner", r"\bmust be owner of\b"),
    ("credentials", r"\b(?:bad|invalid|wrong|incorrect|expired|authentication) (?:\w+ )?(?:credentials|password|"
                    r"username "
                    r"or password|token)\b|\bpassword not accepted\b"),
    ("password", r"\b(?:bad|invalid|wrong|incorrect)(?: or missing)? (?:username or |user name or )?password\b|"
                 r"\bpassword not accepted\b"),
    ("token", r"\b(?:security |access |auth |provided |api )?token\b[^\n]{0,40}\b(?:is invalid|has expired|is expired|"
              r"expired: ?401|has been revoked)\b|\btoken expired: 401\b"),
    ("logged in", r"\b(?:must|need to|have to) be logged in\b"),
    ("log in", r"\b(?:please|must|need to) (?:re-?)?log ?in\b"),
    ("temporary object directory", r"\bunable to create temporary object directory"),
    ("permission", r"\bdenied permissions?\b|\bmissing the [\w/ ]{1,40} permission\b|\bcheck the permissions\b"),
    ("accessdenied", r"\baccessdenied\w*\b"),
    ("refus", r"\brefus(?:ed|ing) to (?:write|read|access|delete|modify|open|run)\b"),
    ("not permitted", r"\b(?:access|operation|action|path|command|write|read)\b[^\n]{0,60}\bnot permitted\b"),
)

TIMEOUT: tuple[Indication, ...] = (
    "timed out", "timed-out", "timeouterror", "timeoutexpired", "timeoutexception", "deadline exceeded",
    "deadline_exceeded", "deadlineexceeded", "context deadline", "etimedout", "esockettimedout", "took too long",
    "time limit exceeded", "time limit reached", "timeout reached", "timeout expired",
    "gateway timeout", "gateway time-out", "request timeout", "read timeout",
    "connect timeout", "exceeded the time limit", "exceeded its time limit", "operation timeout",
    "command timeout", "statement timeout", "lock wait timeout", "idle timeout", "exceeded timeout",
    "timeout while", "timelimitexceeded",
    ("timeout", r"\b(?:exceeded|after|reached|hit)\b[^\n]{0,30}\btimeout\b|\btimeout (?:of|after) \d|"
                r"^(?:error: )?timeout: (?!invalid|failed|unrecognized|cannot|try|missing)"),
    ("timeout", r"\w(?:timeout|timeouterror)\b(?= *[:(]|\s*$)"),
    ("exceeded", r"\bexceeded (?:the |its )?(?:deadline|maximum (?:execution )?time|\d+ ?(?:ms|s|sec|seconds|"
                 r"minutes))\b"),
    ("within", r"\bdid ?n[o']t (?:finish|complete|respond|return|end) within\b"),
    named("(?:\\w*)Time(?:d)?[Oo]ut(?:Expired)?|Timeout::|(?:Soft)?TimeLimitExceeded|DeadlineExceeded|Elapsed|"
          "PoolTimeout"),
    status("408|504"), "i/o timeout", "tls handshake timeout", "handshake timeout", "deadline has elapsed",
    "alarm clock", "execution expired", "time limit", "worker timeout", "cpu time limit", "io timeout",
    "err_socket_timeout", "socket timeout", "lock timeout", "timeout was reached", "operation too slow",
    "timeout period", "timeouts exceeded", "time budget", "(exit) time out", "connect timed out", "network timeout",
    "timeout in data", "httpclient.timeout", "aborted due to timeout", "due to timeout", "timeout error",
    ("124", r"\*\*\* \[[^\n]*\] error 124\b|\b(?:exit(?:ed)?(?: with)?|return(?:ed)?) (?:code|status):? ?124\b"),
    ("timeout", r"^(?:\w*error: ?|fatal: |failed: |failure: |\w+exception: )?timeout(?: waiting| error)?\b[ "
                r".!]*(?:$|,|waiting|after|while|reached|expired|"
                r"exceeded)"),
    ("timeout", r"\b(?:execution|command|request|connection|connect|read|query|operation|server|network|call|response|"
                r"process|tool|wait\w*) timeout (?:expired|exceeded|reached|error|after|of|on|at|for)\b|"
                r"\btimeout: (?:the )?"
                r"(?:command|process|operation|request)\b|\btimeout \d+ ?m?s exceeded\b|\btimeout exceeded\b"
                r"(?! (?:is|=))"),
    ("timeout", r"\b(?:connection|client|server|handshake|wait|waiting) timeout\b(?! (?:is|was|set|=|of \d+ ?m?s$))"),
    ("exceeded", r"\b(?:exceeded|over|past) (?:the |its |maximum |max |allowed |allotted )*(?:run ?time|execution time|"
                 r"time (?:limit|budget)|deadline|wall ?time|duration|\d+(?:\.\d+)? ?(?:ms|s|sec|second|minute|"
                 r"min|m)s?)\b"),
    ("exceeded", r"\b(?:maximum|max)\b[^\n]{0,20}\b(?:execution time|run ?time|duration)\b[^\n]{0,40}\bexceeded\b|"
                 r"\b\d+ ?m?s exceeded\b"),
    ("longer than", r"\b(?:took|taking|running|ran|run)\b[^\n]{0,20}\blonger than \d"),
    ("within", r"\b(?:did|does|could|do|was|is|were) ?n[o']t (?:\w+ )?(?:finish|complete|respond|return|end|exit|start|"
               r"stop|answer|completed?|ready|available|become ready)\b[^\n]{0,20}\b(?:within|in) (?:the )?"
               r"(?:\d|allo|time|given|specified|configured)"),
    ("not responding", r"\btimeout,[^\n]{0,60}\bnot responding\b"),
    named("TooSlow|SQLTimeout|QueryCanceled|Timeout\\w*|\\w+Timeout\\w*"),
    ("time", r"\b(?:terminated|killed|aborted|failed|cancell?ed|stopped|exited|interrupted|ended|reason)\b"
             r"[\s:,(-]{1,4}(?:due to |by |on |after |with |because of )?(?:a |an |the )?(?:timeout|time-out|time "
             r"out)\b"
             r"(?! (?:is|=|value|must|option|argument|param))"),
    ("timeout", r"\b(?:handler|socket|gateway|server|client|network|session|response|upstream|proxy|lock|"
                r"execution|command|process|tool|job|task|build|query|transaction|i/o|io|dns|ssl|tls|wait) "
                r"timeout\s*$"),
    ("after", r"\b(?:killed|terminated|aborted|cancell?ed|stopped|interrupted|gave up|giving up) after \d[\d.]* "
              r"?(?:ms|s|"
              r"sec|second|min|minute|m|h|hour)s?\b"),
    ("deadline", r"\bdeadline (?:was |has )?(?:reached|passed|expired|missed|elapsed|exceeded)\b|\bexceeded (?:the )?"
                 r"deadline\b"),
    ("timeout", r"\bexceeded (?:the |its )?(?:\S+ )?timeout\b|\breached (?:the )?timeout\b"),
)

NETWORK: tuple[Indication, ...] = (
    "could not resolve", "couldn't resolve", "unable to resolve host", "name or service not known",
    "no such host", "temporary failure in name resolution", "no address associated with hostname",
    "nodename nor servname", "enotfound", "temporary failure resolving", "getaddrinfo", "eai_again", "eai_noname",
    "nxdomain", "servfail", "econnrefused", "econnreset", "econnaborted", "ehostunreach", "enetunreach",
    "connection refused", "connection reset", "connection aborted", "connection closed by remote host",
    "connection closed unexpectedly", "connection failed", "connectionerror", "connectionrefusederror",
    "connectionreseterror", "connectionabortederror", "network is unreachable", "network unreachable",
    "network is down", "network error", "no route to host", "host is down", "host is unreachable",
    "socket hang up", "failed to connect", "could not connect", "couldn't connect", "unable to connect",
    "fetch failed", "remote end closed connection", "bad gateway", "the remote end hung up",
    "empty reply from server", "certificate verify failed", "certificate has expired", "ssl certificate problem",
    "tls handshake", "newconnectionerror", "proxyerror", "err_name_not_resolved", "err_internet_disconnected",
    "err_connection_refused", "cannot connect to the docker daemon", "unknown host",
    ("dns", r"\bdns\b[^\n]{0,40}\b(?:fail(?:ed|ure)?|error|lookup|probe)\b"),
    ("unable to access", r"\bunable to access 'https?:"),
    ("curl: (", r"\bcurl: \((?:5|6|7|35|52|56)\)"),
    ("ssl", r"\bssl(?:error|certverificationerror|: |_connect|_error)"),
    named("UnknownHost|Connect(?:ion)?(?:Refused|Reset|Aborted|Closed|Lost)?|NoRouteToHost|UnresolvedAddress|"
          "NoHttpResponse|"
          "SSLHandshake|SSL(?:CertVerification|EOF|ZeroReturn|Peer\\w*)?|ChunkedEncoding|IncompleteRead|RemoteProtocol|"
          "Read|Write|Network|MongoNetwork|RemoteDisconnected|ServerDisconnected|ClientConnector\\w*|ClientOS|"
          "APIConnection|EndpointConnection|NoBrokersAvailable|AMQPConnection|MaxRetry|NewConnection|NameResolution|"
          "Proxy|HostUnreachable|WebSocketConnectionClosed|Socket|CondaHTTP|ServiceUnavailable|gai|herror|BrokenPipe|"
          "ConnectionClosed\\w*|Unavailable"),
    status("502"), "bad address", "unable to establish ssl", "transfer closed", "not closed cleanly",
    "server misbehaving",
    "unknown authority", "self-signed certificate", "self signed certificate", "verify the first certificate",
    "certificate has expired", "certificate_verify_failed", "eof occurred in violation of protocol",
    "pkix path building failed", "failed to respond", "socket disconnected", "other side closed", "failed to fetch",
    "networkerror", "could not be resolved", "forcibly closed", "actively refused", "ssl connection",
    "connection error",
    "connection broken", "server disconnected", "connection attempts failed", "no address associated",
    "server closed the connection", "connection unexpectedly closed", "can't connect to", "unknown mysql server host",
    "lost connection", "broker may not be available", "endpoint is not connected", "connection closed", "early eof",
    "gnutls", "gnutls_handshake", "gnutls recv error", "no connection established", "no internet", "host unreachable",
    "connection was reset", "connection was closed", "send failure", "recv failure", "send disconnect", "dns error",
    "tcp connect error", "name resolution", "err_network", "und_err_socket", "domain name not found", "unknown ssl",
    "network connectivity", "network connection", "cannot connect", "failed to establish a new connection",
    "client is offline", "networking error", "ssl handshake", "handshake failed", "handshake failure", "peer closed",
    "server selection error", "broker not available", "remote host closed", "connection dropped", "connection lost",
    ("net::err", r"\bnet::err_(?:name|internet|connection|network|address|proxy|ssl|cert|tunnel|empty|socket)"),
    ("", r"\b(?:could ?n[o']t|cannot|can't|unable to|failed to|failure to)(?: \w+)? (?:connect|reach|resolve|"
                r"contact|lookup|look up)\b(?! (?:to )?(?:import|module|dependenc|package|plugin|conflict|symbol|"
                r"path|'|"
                r"\"|reference|type|all|peer|entry|command|the? (?:module|import|conflict)))"),
    ("connect", r"\bconnection\b[^\n]{0,80}\b(?:was |is |were |been )?(?:refused|reset|aborted|unreachable|dropped|"
                r"could not be established|terminated unexpectedly)\b"),
    ("connect", r"\bconnections? to\b[^\n]{0,120}\b(?:failed|refused|lost|closed|broken)\b|\battempts to connect to\b"
                r"[^\n]{0,60}\bfailed\b"),
    ("reach", r"\b(?:cannot|could not) be reached\b|\bunreachable\b(?= *[:.(]|\s*$| host)"),
    ("curl: (", r"\bcurl: \((?:5|6|7|18|35|51|52|55|56|60|77|80|91|92|95|96|97)\)"),
    ("eof", r"\b(?:get|post|put|patch|delete|head) \"https?://[^\"\n]+\": (?:unexpected )?eof\b"),
    ("lookup", r"\bdial (?:tcp|udp)\b[^\n]{0,60}\blookup\b|\bdial tcp\b[^\n]{0,80}\bconnect: "),
    ("certificate", r"\b(?:x509: |cannot verify \S+ certificate|certificate (?:verif\w+ failed|is not trusted|"
                    r"has expired|signed by unknown))"),
    ("resolving", r"\b(?:failed|failure|error|problem) resolving\b"),
    ("server can't find", r"\bserver can't find \S+: (?:nxdomain|servfail|refused)"),
    ("not found: 3(", r"\bhost \S+ not found: \d\("),
    ("remote host", r"\bunable to connect to (?:the )?remote (?:host|server)\b"),
    ("unavailable", r"\bunavailable\b[^\n]{0,40}\b(?:connect|connection|transport|channel|dns)"),
    "local issuer certificate", "network request failed", "ssl peer", "network failure", "no connectivity",
    "dns failure",
    "name not resolved", "could not establish connection", "unable to establish connection", "autoreconnect",
    ("err_", r"\berr_(?:connection|name_not|internet|network|address|proxy|ssl|cert|tunnel|empty_response|socket)\w*"),
    ("", r"\b(?:can't|cannot|could not|unable to|failed to|failure to) (?:resolve (?:the )?(?:host|name|address|"
         r"hostname|"
         r"domain)|establish (?:a |an )?(?:\w+ )?connection|open (?:a )?(?:tcp )?connection)\b"),
    ("nslookup", r"\bnslookup: can't resolve\b"),
)
# fmt: on
