-- wrk's side of bench.mjs: walks the lines of a file of paths, with a token, and prints its figures as one line.
local paths = {}
for line in io.lines(os.getenv("PATHS")) do paths[#paths + 1] = line end
local method = os.getenv("METHOD")
local bodies = {}
if os.getenv("BODIES") then
  for line in io.lines(os.getenv("BODIES")) do bodies[#bodies + 1] = line end
end
-- A write takes any version of its row.
local headers = { ["if-match"] = "*", ["content-type"] = "application/json", ["accept-encoding"] = "identity" }
if os.getenv("TOKEN") then headers["authorization"] = "Bearer " .. os.getenv("TOKEN") end
-- Refresh tokens that nobody is using right now: one is taken for each question, and its answer brings the next.
local tokens, first, last = {}, 1, 0
if os.getenv("TOKENS") then
  local function keep(token)
    last = last + 1
    tokens[last] = token
  end
  for line in io.lines(os.getenv("TOKENS")) do keep(line) end
  response = function(status, _, body)
    local token = status == 200 and string.match(body, '"refresh_token":"([^"]+)"')
    if token then keep(token) end
  end
end
local n = tonumber(os.getenv("START") or "0")

request = function()
  n = n + 1
  local body = nil
  if #bodies > 0 then body = bodies[n % #bodies + 1] end
  if tokens[first] then
    body = '{"refresh_token":"' .. tokens[first] .. '"}'
    tokens[first] = nil
    first = first + 1
  end
  return wrk.format(method, paths[n % #paths + 1], headers, body)
end

done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
