# An A/B/n test with four variants, until the best one is certain at risk 0.05: sh run.sh
set -e
purex explore start --family bernoulli --query best-arm --names control,blue,green,large --delta 0.05 --state ab.json
batch=0
while purex explore ask -n 500 --state ab.json > shown.txt; do
  batch=$((batch + 1))
  python users.py $batch < shown.txt > rewards.csv
  purex explore tell --file rewards.csv --state ab.json
done
purex explore status --state ab.json --html ab.html
