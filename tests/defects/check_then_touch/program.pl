#!/usr/bin/env perl
# Lets one worker, and no other, run a task. Usage: program.pl op|recover|check DIR [WORKER]
use strict;
use warnings;

my ($verb, $dir, $worker) = @ARGV;
$worker //= 'a';

my %verbs = (
    op => sub {
        return if -e "$dir/claim";
        open my $claim, '>', "$dir/claim" or die "cannot claim: $!\n";
        open my $ran, '>', "$dir/ran.$worker" or die "cannot run: $!\n";
    },
    recover => sub { unlink "$dir/claim" if !-e "$dir/ran.a" && !-e "$dir/ran.b" },
    check => sub {
        return if !-e "$dir/ran.a" || !-e "$dir/ran.b";
        print "Both workers ran the task.\n";
        exit 1;
    },
);
$verbs{$verb}->();
